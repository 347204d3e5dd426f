//! Reads the events of a run from its log or live, folds them into its current state (`RunView`) and its
//! complete history (`History`), and formats them as text.
//!
//! Every display of a run uses this crate. Not here: layout, and data that the events do not contain.

mod auto_approval;
mod chain;
mod follow;
pub mod format;
mod history;
mod liveness;
mod role;
pub mod run_logs;
mod run_view;
#[cfg(any(test, feature = "samples"))]
#[expect(clippy::unwrap_used, reason = "only tests are made of samples")]
pub mod samples;
mod waiting;
mod working_time;

pub use auto_approval::{AT_CAP, concerns_at_cap};
pub use chain::{Chain, LogCheck, LogState};
pub use follow::{Follow, FollowUpdate};
pub use history::{
    AgentEnd, CheckRecord, Decision, DecisionKind, FailedAttempt, History, IterationEnd,
    IterationRecord, OtherKind, OtherSession, Quota, RevertedChanges, RolledBack, StatusChange,
    StoryTotals,
};
pub use liveness::{RunState, run_is_alive};
pub use role::Role;
pub use run_view::{
    Activity, CheckView, CompactionView, EndView, HandoffView, IterationView, MemoryView, Pause,
    PendingOrders, PromptView, RunView, StartView, TodoView, ToolCalls, ToolView, Verdict,
    WaitView, compacting,
};
pub use waiting::{blocked, waiting};
pub use working_time::WorkingTime;
