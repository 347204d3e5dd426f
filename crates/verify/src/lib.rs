//! Finds rule violations in the result of an iteration.
//!
//! The Stop hook and the runner use the same checks. Not here: the
//! rules of the task list (`tasks`), and the reaction to a finding.

mod finding;
mod guard_log;
mod judgement;
mod message_verdict;
mod questions;
mod section;

pub use finding::{Finding, RepositoryChange};
pub use guard_log::{GUARD, WAITS_FOR_BACKGROUND};
pub use judgement::{Judgement, after_tampering, check_iteration};
pub use message_verdict::MessageVerdict;
pub use questions::GitQuestions;
pub use section::Section;
