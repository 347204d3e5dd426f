//! What the runner asks of git, in real repositories made by the real git.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

#[cfg(target_os = "linux")]
mod abandoned_locks;
mod branch;
mod commit;
mod commit_settings;
mod history;
mod info_files;
mod reading;
mod repository;
mod restore;
mod state;
mod unwatched;
