//! What is wrong with what an iteration left behind.
//!
//! The Stop guard and the runner ask the same question here and get the same answer. Not here: the
//! rules of the task list (`tasks`), and what to do about a finding.

mod finding;
mod guard_log;
mod judgement;
mod message_verdict;
mod questions;
mod section;

pub use finding::{Finding, RepositoryChange};
pub use guard_log::{GUARD, WAITS_FOR_BACKGROUND};
pub use judgement::{Judgement, after_tampering, everything};
pub use message_verdict::MessageVerdict;
pub use questions::Questions;
pub use section::Section;
