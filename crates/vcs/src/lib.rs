//! git: what is dirty in a work tree, and what changed since a commit.
//!
//! The `git` program answers, so that its hooks, filters, sparse checkouts and fsmonitor behave as
//! the user expects. Not here: whether a change is allowed, the terminal.

mod commit_id;
mod git;
mod status;
mod work_tree;

pub use commit_id::{CommitId, InvalidCommitId};
pub use git::VcsError;
pub use status::{DirtyKind, DirtyPath};
pub use work_tree::{ChangesInProgress, NotARepository, StatusInProgress, WorkTree};
