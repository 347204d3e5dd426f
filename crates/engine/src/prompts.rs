//! The prompt loop: repeats one prompt (`plan`, `build`, a prompt file or a text) without a task list or reviews.
//!
//! An iteration counts once the guardrails pass. The run is complete once the agent also claims completion.
//! `start` begins a run, `run` implements the loop's interface, `iterate` runs one iteration, `judge` decides
//! its result.

mod acceptance;
mod iterate;
mod judge;
mod plan;
mod run;
mod settings_snapshot;
mod start;
mod state;
mod template;

pub(crate) use state::PromptState;

pub use acceptance::{Acceptance, Assessment};
pub use settings_snapshot::FileSnapshot;
pub use start::{PromptDryRun, dry_run_prompt, refuse_unjudged_stories, run_prompt};
