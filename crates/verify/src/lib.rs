//! Finds rule violations in the result of an iteration.
//!
//! The Stop hook and the runner use the same checks. Not here: the
//! rules of the task list (`tasks`), and the reaction to a finding.

mod finding;
mod judgement;
mod message_verdict;
mod questions;
mod section;

pub use finding::{Finding, RepositoryChange};
pub use judgement::{Judgement, after_tampering, check_iteration};
pub use message_verdict::MessageVerdict;
pub use questions::GitQuestions;
pub use section::Section;

/// The hook's name, which begins every line of its log.
pub const GUARD: &str = "stop-guard";

/// It allowed the stop, because the session will be woken again.
pub const WAITS_FOR_BACKGROUND: &str = "background tasks still run";
