//! The loops: select, prompt, run, judge, record. Progress is emitted as events.
//!
//! `stories` is the loop over a task list, `prompts` those over a prompt; `drive` executes the orders of
//! `decide` for both. Shared: `session` runs an agent, `guardrails`
//! run the user's checks, `scm` commits and pushes. Not here: printing, the command line.

mod agent_settings;
mod allowance;
mod built_in;
mod check_launch;
mod clock;
mod commit_message;
mod decide;
mod drive;
mod end_text;
mod error;
mod event_sink;
mod failed_guardrail;
mod fence;
mod finish;
mod folder_links;
mod guard_plugin;
mod guardrail_log;
mod guardrails;
mod hook_check;
pub mod isolation;
mod isolation_report;
mod iteration_status;
mod limits;
mod log_mark;
mod options;
mod orders;
mod outcome;
mod own_file;
mod permissions;
mod preconditions;
mod prompts;
mod recording;
mod run_control;
mod run_files;
mod run_id;
mod sandboxed;
mod scm;
mod session;
mod session_command;
mod state_file;
mod stop;
mod stories;
mod template_comments;
mod trusted_settings;
mod user_instructions;
mod validation;
mod variables;
mod watch;
mod workspace;

pub use built_in::BUILT_IN_VARIABLES;
pub use error::RunError;
pub use event_sink::Observer;
pub use finish::{FinishedRun, LoopResult};
pub use guard_plugin::{HOOK_TIME, STOP_GUARD_TIME, write_plugin};
pub use hook_check::{UnfitHook, UnfitReason, unfit_hooks};
pub use limits::{TimeLimit, TimeLimits};
pub use options::{
    AgentOptions, CheckSandbox, ChosenIsolation, HookPrograms, MemoryOptions, OnTimeout,
    PromptOptions, PromptSource, QualityOptions, RollbackOptions, RunOptions, RunPolicy,
    ScmOptions, SessionIsolation, StartMode, StoryOptions,
};
pub use prompts::{
    Acceptance, Assessment, FileSnapshot, PromptDryRun, dry_run_prompt, refuse_unjudged_stories,
    run_draft, run_prompt,
};
pub use state_file::StateError;
pub use stop::StopSwitch;
pub use stories::{
    ContextBudget, DryRun, Experience, FirstIteration, JudgedList, LastRun, StartPreconditions,
    UnjudgedList, dry_run, has_unjudged_iteration, judged_list, last_run, refuse_uncommitted, run,
};
pub use trusted_settings::{InterruptedIteration, trust_settings, trusted_settings};
pub use vcs::AllowedChanges;
