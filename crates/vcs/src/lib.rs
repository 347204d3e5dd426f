//! git: what is dirty in a work tree, what changed since a commit and how, the runner's own commits and
//! restores of exactly the paths it names, branches that go on without a stretch of work, and whole
//! work trees back to what they were.
//!
//! The `git` program says what is dirty and makes every write, so that filters, sparse checkouts and signatures
//! are the user's; each call of it has a deadline. Objects and the index are read in this process where they can be.
//! Not here: whether a change is allowed, the terminal.

mod abandoned_locks;
mod adopt;
mod adoption;
mod archive;
mod attribute_changes;
mod attributes_changed;
mod blobs;
mod branch;
mod branch_name;
mod changes;
mod checkpoint;
mod commit;
mod commit_id;
mod contents;
mod control_files;
mod conversion;
mod diff;
mod discarded;
mod entry;
mod git;
mod git_call;
mod history;
mod identity;
mod ignored;
mod index;
mod index_only;
mod info_files;
mod init;
mod inventory;
mod modes;
mod move_back;
mod moved_away;
mod moved_search;
mod named;
mod new_commit;
mod not_as_before;
mod object_name;
mod object_store;
mod objects;
mod operation;
mod path_text;
mod pipes;
mod proofs;
mod proven_file;
mod refs;
mod refs_on_disk;
mod remote;
mod removal;
mod repo_path;
mod restore;
mod roll_back;
mod rolled_back;
mod squash;
mod staged_files;
mod stamp;
mod stashes;
mod status;
mod stretch;
mod subjects;
mod target;
mod tracked;
mod tree_difference;
mod tree_id;
mod tree_object;
mod tree_plus;
mod tree_size;
mod tree_state;
mod tree_without;
mod unwatched;
mod vcs_error;
mod version;
mod way;
mod whereabouts;
mod work_tree;
mod work_tree_proof;
mod write_files;
mod write_settings;

pub use archive::Archived;
pub use blobs::BlobContents;
pub use branch::BranchPrepared;
pub use branch_name::{is_branch_name, refuse_invalid_branch};
pub use changes::{Change, Changed};
pub use checkpoint::{Checkpoint, IgnoredBefore, UnwatchedBefore};
pub use commit_id::{CommitId, InvalidCommitId};
pub use control_files::{
    AllowedChanges, ChangeFate, ControlChange, ControlRecord, Effect, RecordedChange,
};
pub use diff::DiffText;
pub use entry::{BlobId, Entry};
pub use history::HistoryKept;
pub use identity::Identity;
pub use objects::{BadObject, ObjectFault};
pub use operation::Operation;
pub use path_text::{from_bytes as path_from_bytes, on_disk, to_bytes as path_to_bytes};
pub use proofs::Proofs;
pub use refs::NewBranch;
pub use rolled_back::{Left, NewIgnored, RolledBack, WhyLeft};
pub use squash::Squashed;
pub use stamp::Stamp;
pub use status::{DirtyKind, DirtyPath};
pub use stretch::{Coverage, Reach, Stretch};
pub use tree_id::TreeId;
pub use tree_state::{Seen, StateInProgress, TreeState};
pub use tree_without::Without;
pub use vcs_error::VcsError;
pub use version::git_version;
pub use work_tree::{ChangesInProgress, NotARepository, StatusInProgress, WorkTree};
pub use work_tree_proof::Unproven;
