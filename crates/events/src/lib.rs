//! What the events of a run come to: read from its log or followed as they come, folded into where it
//! stands (`RunView`) and into all that happened (`History`), and said in words.
//!
//! Whoever shows a run starts here. Not here: how it looks anywhere, and anything that the events do
//! not say.

mod auto_approval;
mod chain;
mod follow;
mod history;
mod liveness;
mod role;
pub mod run_logs;
mod run_view;
#[cfg(any(test, feature = "samples"))]
#[expect(clippy::unwrap_used, reason = "only tests are made of samples")]
pub mod samples;
mod waiting;
pub mod words;
mod worked;

pub use auto_approval::{AT_CAP, concerns_at_cap};
pub use chain::{Chain, LogCheck, LogState};
pub use follow::{Follow, Look};
pub use history::{
    AgentEnd, Check, Decision, DecisionKind, FailedAttempt, History, IterationEnd, IterationRecord,
    Move, OtherKind, OtherSession, Quota, RolledBack, StoryTotals, Undone,
};
pub use liveness::{Liveness, RunState};
pub use role::Role;
pub use run_view::{
    Activity, CompactionView, Company, EndView, GateView, HandoffView, IterationView, MemoryView,
    Pause, PromptView, RestView, RunView, StartView, TodoView, ToolCalls, ToolView, Verdict,
    Wishes, compacting,
};
pub use waiting::{blocked, waiting};
pub use worked::Worked;
