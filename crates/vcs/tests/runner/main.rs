//! What the runner asks of git, in real repositories made by the real git.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

#[cfg(target_os = "linux")]
mod abandoned_locks;
mod adopt;
mod adopt_links;
mod adopt_theirs;
mod archive;
mod branch;
mod changes;
mod commit;
mod commit_settings;
mod history;
mod index_only;
mod info_files;
mod reading;
mod refs;
mod repository;
mod restore;
mod set_aside;
mod state;
mod stretch;
mod submodules;
mod tree_plus;
mod tree_without;
mod unwatched;
