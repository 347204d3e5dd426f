//! The loops over a prompt: `plan`, `build`, a prompt file, a text.
//!
//! No task list here, and no reviews: an iteration counts once the guardrails pass, and the run is
//! complete once the agent's last message says so after that. `start` begins a run, `run` is what is
//! driven, `iterate` the way of one iteration and `judge` what it is worth.

mod acceptance;
mod iterate;
mod judge;
mod owners_files;
mod plan;
mod run;
mod start;
mod state;
mod template;

pub(crate) use state::PromptState;

pub use acceptance::{Acceptance, Assessed};
pub use owners_files::OwnersFile;
pub use start::{PromptDryRun, dry_run_prompt, refuse_unjudged_stories, run_draft, run_prompt};
