//! git: what is dirty in a work tree, what changed since a commit, the runner's own commits and
//! restores of exactly the paths it names, and branches that go on without a stretch of work.
//!
//! The `git` program answers and writes, so that its hooks, filters, sparse checkouts and fsmonitor
//! behave as the user expects. Every call has a deadline. Not here: whether a change is allowed,
//! the terminal.

mod abandoned_locks;
mod adopt;
mod adoption;
mod archive;
mod attributes_changed;
mod blobs;
mod branch;
mod changes;
mod commit;
mod commit_id;
mod contents;
mod entry;
mod git;
mod git_call;
mod history;
mod ignored;
mod index;
mod index_only;
mod info_files;
mod init;
mod named;
mod new_commit;
mod operation;
mod refs;
mod remote;
mod repo_path;
mod restore;
mod staged_files;
mod status;
mod stretch;
mod tracked;
mod tree_id;
mod tree_plus;
mod tree_state;
mod tree_without;
mod unwatched;
mod vcs_error;
mod way;
mod work_tree;

pub use archive::Archived;
pub use blobs::BlobContents;
pub use branch::BranchPrepared;
pub use changes::{Change, Changed};
pub use commit_id::{CommitId, InvalidCommitId};
pub use entry::{BlobId, Entry};
pub use history::HistoryKept;
pub use info_files::{Attributes, PrivateAttributes};
pub use operation::Operation;
pub use refs::NewBranch;
pub use status::{DirtyKind, DirtyPath};
pub use stretch::{Coverage, Reach, Stretch};
pub use tree_id::TreeId;
pub use tree_state::TreeState;
pub use tree_without::Without;
pub use vcs_error::VcsError;
pub use work_tree::{ChangesInProgress, NotARepository, StatusInProgress, WorkTree};
