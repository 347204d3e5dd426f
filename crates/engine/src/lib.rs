//! The loops: select, prompt, run, judge, record. Progress is emitted as events.
//!
//! `coordinator` runs the loop over a task list, one iteration at a time in a `lane`; `prompts` runs those over a
//! prompt; `drive` executes the orders of `decide` for both. Shared: `session` runs an agent, `guardrails` run the
//! user's checks, `scm` commits and pushes. Not here: printing, the command line.

mod checks;
mod clones;
mod control;
mod coordinator;
mod drive;
mod error;
mod event_sink;
mod hooks;
pub mod isolation;
mod jobs;
mod lane;
mod limits;
mod log_mark;
mod memory;
mod options;
mod own_file;
mod parallel;
mod prompts;
mod proof_rerun;
mod range_review;
mod relay;
mod run_files;
mod run_id;
mod scm;
mod session;
mod state_file;
mod templates;
mod trusted_settings;
mod try_node;
mod worker;
mod workspace;

pub use control::StopSwitch;
pub use coordinator::{
    BranchList, ContextBudget, DryRun, FirstIteration, JudgedList, LastRun, StartPreconditions,
    StoryQuestion, UnjudgedList, branch_list, dry_run, has_unjudged_iteration, judged_list,
    last_run, questions, refuse_uncommitted,
};
pub use drive::{FinishedRun, LoopResult};
pub use error::RunError;
pub use event_sink::Observer;
pub use hooks::{HOOK_TIME, STOP_GUARD_TIME, UnfitHook, unfit_hooks, write_plugin};
pub use lane::NodeWork;
pub use limits::{TimeLimit, TimeLimits};
pub use options::{
    AgentOptions, CandidateOptions, CheckSandbox, ChosenIsolation, HelpOptions, HookPrograms,
    JobOptions, LaneOptions, LaneVariables, MemoryOptions, OnTimeout, PromptOptions, PromptSource,
    ProofOptions, QualityOptions, RollbackOptions, RunOptions, RunPolicy, ScmOptions,
    SessionIsolation, StartMode, StoryOptions, TraceOptions,
};
pub use parallel::{LaneFolder, LaneFolderState, lane_folders, prune_lanes, run};
pub use prompts::{
    Acceptance, Assessment, FileSnapshot, PromptDryRun, dry_run_prompt, refuse_unjudged_stories,
    run_prompt,
};
pub use proof_rerun::{ProofCommits, RerunProof, rerun_proof};
pub use range_review::{
    LensReview, MergedFinding, NoFindings, ReviewRange, merged_findings, review_range,
};
pub use relay::{Relay, hold_lock};
pub use session::{git_settings_off, kept_back};
pub use state_file::StateError;
pub use templates::built_in::BUILT_IN_VARIABLES;
pub use trusted_settings::{InterruptedIteration, trust_settings, trusted_settings};
pub use try_node::{NodeTrial, try_node};
pub use vcs::{AllowedChanges, OnlyInClone};
pub use worker::{FetchedWork, WorkSource, WorkerOutput, fetch_work, run_node_work};

#[cfg(test)]
#[path = "../tests/in_process/mod.rs"]
mod in_process;
