//! The events of a run: their types, the lines of `events.jsonl`, reading and following a log. Folds them into the
//! state and the history of a run (`RunView`), and formats them as text.
//!
//! The engine emits these events, and every display depends on this crate alone. Not here: layout, and data that the
//! events do not contain.

mod auto_approval;
mod chain;
pub mod describe;
mod estimate;
mod event;
mod follow;
pub mod format;
mod liveness;
mod now;
mod role;
mod run_end;
pub mod run_logs;
mod run_view;
#[cfg(any(test, feature = "samples"))]
#[expect(clippy::unwrap_used, reason = "only tests are made of samples")]
pub mod samples;
mod saved_log_head;
mod statistics;
mod stop_signal;
mod trace;
mod waiting;
mod working_time;

pub use auto_approval::{AT_CAP, concerns_at_cap};
pub use chain::{Chain, LogCheck, LogState};
pub use estimate::{Estimate, EstimateBasis};
pub use event::*;
pub use follow::{Follow, FollowUpdate};
pub use liveness::{RunState, run_is_alive};
pub use now::now;
pub use role::Role;
pub use run_end::RunEnd;
pub use run_view::*;
pub use saved_log_head::saved_log_head;
pub use statistics::{CheckFigures, Figures, LogFigures, Period, Statistics};
pub use stop_signal::StopSignal;
pub use trace::{NoTraceparent, Traceparent};
pub use waiting::{blocked, waiting};
pub use working_time::{WorkingTime, seconds};
