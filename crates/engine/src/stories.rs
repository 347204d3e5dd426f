//! The story loop: works through a task list.
//!
//! `start` begins a run, `run` implements the loop's interface. `iterate` runs one iteration: `session` lets
//! the agent work, `settle` judges the result (`keep_work`, `revert`, `checks`, `restore_files`). A story that keeps
//! failing goes from `failed_attempt` over `escalate` to `give_up`.

mod amendments;
mod assignment;
mod attempt;
mod checks;
mod compaction;
mod context_expansion;
mod dry_run;
mod earlier_run;
mod escalate;
mod escalation;
mod estimate;
mod expected_tasks;
mod failed_attempt;
mod failure_branch;
mod give_up;
mod handoff;
mod iterate;
mod iteration;
mod judged_list;
mod last_run;
mod mcp_servers;
mod memory_context;
mod memory_state;
mod only_story;
mod progress_entry;
mod prompt;
mod quality;
mod recover;
mod revert;
mod roll_back;
mod run;
mod run_branch;
mod session;
mod settle;
mod side_session;
mod skills;
mod skip_orders;
mod start;
mod start_preconditions;
mod state;
mod state_md;
mod story_record;
mod task_text;
mod verdict;
mod version_control;
mod work_done;

pub(crate) use iterate::protected_before;
pub(crate) use state::SavedRun;

pub use dry_run::{ContextBudget, DryRun, FirstIteration, dry_run};
pub use estimate::Experience;
pub use judged_list::{JudgedList, UnjudgedList, judged_list};
pub use last_run::{LastRun, last_run};
pub use start::{has_unjudged_iteration, run};
pub use start_preconditions::{StartPreconditions, refuse_uncommitted};
