//! The loop over a task list.
//!
//! `start` begins a run, `run` is what is driven. The way of one iteration is `iterate`: `session` lets the agent work, `settle` judges what it left (`keep`,
//! `undo`, `gates`).

mod assignment;
mod dry_run;
mod gates;
mod guard_plugin;
mod iterate;
mod iteration;
mod keep;
mod prompt;
mod recover;
mod run;
mod scene;
mod session;
mod settle;
mod standing_list;
mod start;
mod state;
mod task_text;
mod undo;
mod version_control;

pub use dry_run::{DryRun, dry_run};
pub use start::{has_unjudged_iteration, run};
