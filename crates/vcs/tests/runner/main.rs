//! The git operations of the runner in real repositories.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

#[cfg(target_os = "linux")]
mod abandoned_locks;
mod adopt;
mod adopt_links;
mod adopt_theirs;
mod archive;
mod branch;
mod changes;
mod checkpoint;
mod clone;
mod commit;
mod commit_range;
mod commit_settings;
#[cfg(target_os = "linux")]
mod control_file_fuzz;
mod diff;
mod discarded;
mod give_up;
mod history;
mod index_only;
mod info_files;
mod merge;
mod only_in_clone;
#[cfg(target_os = "linux")]
mod other_names;
mod picture;
mod proofs;
mod push;
mod reading;
mod refs;
mod repository;
mod restore;
mod roll_back;
mod roll_back_git;
mod roll_back_ignored;
#[cfg(unix)]
mod roll_back_modes;
mod roll_back_moved;
#[cfg(unix)]
mod roll_back_random;
mod squash;
mod state;
mod submodules;
mod tree_plus;
mod tree_without;
mod unwatched;
