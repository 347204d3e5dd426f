//! git: what is dirty in a work tree, what changed since a commit, and the runner's own commits and
//! restores of exactly the paths it names.
//!
//! The `git` program answers and writes, so that its hooks, filters, sparse checkouts and fsmonitor
//! behave as the user expects. Every call has a deadline. Not here: whether a change is allowed,
//! the terminal.

mod abandoned_locks;
mod branch;
mod commit;
mod commit_id;
mod contents;
mod git;
mod git_call;
mod history;
mod ignored;
mod index;
mod info_files;
mod init;
mod new_commit;
mod operation;
mod repo_path;
mod restore;
mod status;
mod tree_id;
mod tree_state;
mod unwatched;
mod vcs_error;
mod work_tree;

pub use branch::BranchPrepared;
pub use commit_id::{CommitId, InvalidCommitId};
pub use history::HistoryKept;
pub use info_files::{Attributes, PrivateAttributes};
pub use operation::Operation;
pub use status::{DirtyKind, DirtyPath};
pub use tree_id::TreeId;
pub use tree_state::TreeState;
pub use vcs_error::VcsError;
pub use work_tree::{ChangesInProgress, NotARepository, StatusInProgress, WorkTree};
