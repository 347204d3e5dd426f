//! The loop over a task list.
//!
//! `start` begins a run, `run` is what is driven. The way of one iteration is `iterate`: `session` lets
//! the agent work, `settle` judges what it left (`keep`, `undo`, `gates`, `restore_files`). A story that keeps failing
//! goes from `failing` over `escalate` to `given_up`.

mod amendments;
mod ask;
mod assignment;
mod attempt;
mod backup;
mod compaction;
mod context_expansion;
mod dry_run;
mod earlier;
mod escalate;
mod escalation;
mod estimate;
mod expected_tasks;
mod failing;
mod failure_branch;
mod fingerprints;
mod gates;
mod give_up;
mod handoff;
mod instruction_files;
mod iterate;
mod iteration;
mod judged_list;
mod keep;
mod last_run;
mod list_folder;
mod memory_state;
mod move_away;
mod notice;
mod noticed;
mod only_story;
mod own_branch;
mod own_permissions;
mod progress_entry;
mod project_snapshot;
mod prompt;
mod quality;
mod recall;
mod recover;
mod refusals;
mod repository;
mod restore_files;
mod roll_back;
mod run;
mod servers;
mod session;
mod settle;
mod skills;
mod skips;
mod start;
mod state;
mod state_md;
mod story_record;
mod task_text;
mod undo;
mod verdict;
mod version_control;
mod way_back;
mod work_done;

pub(crate) use iterate::protected_before;
pub(crate) use state::RunState;

pub use dry_run::{ContextBudget, DryRun, FirstIteration, dry_run};
pub use estimate::{Basis, Estimate, Experience};
pub use judged_list::{JudgedList, Unjudged, judged_list};
pub use last_run::{GoesOn, LastRun, last_run};
pub use refusals::{Beginning, refuse_uncommitted};
pub use start::{has_unjudged_iteration, run};
