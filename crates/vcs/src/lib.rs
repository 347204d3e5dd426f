//! git access: dirty paths, diffs, commits and restores of exactly the given paths, removal of a
//! story's commits from a branch, and complete rollbacks of a work tree.
//!
//! The `git` program computes the status and makes every write, so that the user's filters, sparse
//! checkouts and signatures apply. Each call has a deadline. Objects and the index are read
//! in-process where possible. Whether a change is allowed is decided elsewhere.

mod abandoned_locks;
mod adopt;
mod adoption;
mod attributes;
mod blobs;
mod branch;
mod changes;
mod checkpoint;
mod clone;
mod commit;
mod commit_log;
mod commit_range;
mod commits;
mod control_files;
mod conversion;
mod git;
mod git_call;
mod ignored;
mod index;
mod inventory;
mod merge;
mod move_back;
mod moved_away;
mod moved_search;
mod new_trees;
mod object_name;
mod object_store;
mod objects;
mod only_in_clone;
mod operation;
mod path_text;
mod pipes;
mod proofs;
mod proven_file;
mod push;
mod refs;
mod refs_on_disk;
mod remote;
mod repo_path;
mod restore;
mod roll_back;
mod rolled_back;
mod settings;
mod stamp;
mod target;
mod tree_object;
mod tree_state;
mod tree_walk;
mod unwatched;
mod vcs_error;
mod work_tree;
mod work_tree_proof;
mod write_files;

pub use blobs::BlobContents;

pub use branch::{Archived, BranchPrepared, is_branch_name, refuse_invalid_branch};
pub use changes::{ChangedPath, DiffText};
pub use checkpoint::{Checkpoint, IgnoredBefore, UnwatchedFiles};
pub use commit_log::{Changing, LoggedCommit};
pub use commit_range::CommitRange;
pub use control_files::{
    AllowedChanges, ChangeOutcome, ControlChange, ControlRecord, Effect, RecordedChange,
};
pub use merge::{Advance, MergeConflict, MergeResult};
pub use object_name::{BlobId, CommitId, InvalidCommitId, TreeId};
pub use objects::{BadObject, ObjectFault};
pub use only_in_clone::OnlyInClone;
pub use operation::Operation;
pub use path_text::{from_bytes as path_from_bytes, on_disk, to_bytes as path_to_bytes};
pub use proofs::Proofs;
pub use push::{PushError, PushTarget};
pub use refs::NewBranch;
pub use rolled_back::{NewIgnored, NotRestored, NotRestoredReason, RolledBack};
pub use settings::Identity;
pub use stamp::Stamp;
pub use tree_object::{Entry, EntryMode};
pub use tree_state::{DirtyKind, DirtyPath, StateInProgress, StatusInProgress, TreeState};
pub(crate) use vcs_error::Result;
pub use vcs_error::VcsError;
pub use work_tree::{ChangesInProgress, NotARepository, WorkTree, git_version};
pub use work_tree_proof::Unproven;
