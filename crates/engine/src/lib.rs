//! The loops: select, prompt, run, judge, record; what happens is told as events.
//!
//! `start` begins a run, `run` drives it, `decide` orders what is next, `finish` has the last word. The
//! way of one iteration is `iterate`: `session` lets the agent work, `settle` judges what it left
//! (`keep`, `undo`, `gates`). Not here: printing, the command line.

mod decide;
mod dry_run;
mod error;
mod events;
mod finish;
mod gates;
mod guard_plugin;
mod iterate;
mod iteration;
mod keep;
mod options;
mod outcome;
mod prompt;
mod recover;
mod run;
mod run_end;
mod scene;
mod session;
mod settle;
mod standing_list;
mod start;
mod state;
mod stop;
mod task_text;
mod teller;
mod undo;
mod watch;

pub use dry_run::{DryRun, dry_run};
pub use error::RunError;
pub use events::*;
pub use finish::Finished;
pub use options::{
    AgentOptions, DirtyPolicy, GuardSource, OnUsageLimit, Policy, Retries, RunOptions, Start,
    TimeLimits,
};
pub use prompt::COMPLETION_TAG;
pub use run_end::RunEnd;
pub use start::{has_unjudged_iteration, run};
pub use state::StateError;
pub use stop::{StopSignal, StopSwitch};
pub use teller::Observer;
