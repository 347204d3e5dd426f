//! The coordinator of a story run: owns its state, the judged task list, budget, clock and orders. It selects a story,
//! lets a lane work on it, books what comes back and decides what is next.
//!
//! `start` begins a run, `story_loop` implements the interface of `drive`, `iterate` leads one iteration through the
//! lane, `book` records its result. A story that keeps failing goes from `failed_attempt` over `escalate` to `give_up`.

pub(crate) mod amendments;
mod assign;
pub(crate) mod base_checks;
pub(crate) mod book;
pub(crate) mod branch_list;
pub(crate) mod candidate_clone;
pub(crate) mod candidates;
pub(crate) mod compaction;
pub(crate) mod core;
pub(crate) mod dry_run;
pub(crate) mod earlier_run;
pub(crate) mod escalate;
pub(crate) mod escalation;
pub(crate) mod estimate;
pub(crate) mod expected_tasks;
pub(crate) mod failed_attempt;
pub(crate) mod failure_branch;
pub(crate) mod final_review;
pub(crate) mod give_up;
pub(crate) mod iterate;
pub(crate) mod judged_list;
pub(crate) mod last_run;
pub(crate) mod only_story;
pub(crate) mod progress_entry;
mod proof;
pub(crate) mod quality;
pub(crate) mod questions;
pub(crate) mod recover;
pub(crate) mod roll_back;
pub(crate) mod run_branch;
pub(crate) mod side_sessions;
pub(crate) mod skip_orders;
pub(crate) mod start;
pub(crate) mod start_preconditions;
pub(crate) mod state;
pub(crate) mod story_loop;
pub(crate) mod version_control;

pub use branch_list::{BranchList, branch_list};
pub(crate) use core::{Coordinator, StateStore};
pub use dry_run::{ContextBudget, DryRun, FirstIteration, dry_run};
pub(crate) use earlier_run::{EarlierRun, choose};
pub(crate) use final_review::{MESSAGE, with_drafts};
pub use judged_list::{JudgedList, UnjudgedList, judged_list};
pub use last_run::{LastRun, last_run};
pub use questions::{StoryQuestion, questions};
pub use start::has_unjudged_iteration;
pub(crate) use start::{StartResult, check_preconditions, committed_list, run};
pub use start_preconditions::{StartPreconditions, refuse_uncommitted};
pub(crate) use state::{
    CheckedBase, GeneralInstruction, LaneState, ParkedStory, SavedLane, SavedRun, SeparateState,
    StoryRunState, text as state_text,
};
