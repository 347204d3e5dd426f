//! Runs that work in clones of the project: the user's work tree stays as it is.
//!
//! Each story is worked on in a clone, by a coordinator as in the user's work tree. Approved work is merged into the
//! run's branch (`integration`) after the checks passed on the merged files, in a clone where no agent works
//! (`verification`).

mod clone_files;
mod expected_conflicts;
mod feedback;
mod final_review;
mod integration;
mod lane_folders;
mod lane_merge;
mod lane_run;
mod lead;
mod merged_lists;
mod orders;
mod run_branch;
mod run_state;
mod saved_changes;
mod shared_run;
pub(crate) mod start;
mod verification;

pub use lane_folders::{LaneFolder, LaneFolderState, lane_folders, prune_lanes};
pub use start::run;
pub(crate) use verification::Verification;
