//! Children, keepers and runners as they are: real processes, mostly shells.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

#[cfg(target_os = "linux")]
mod adoption;
mod harness;
mod launching;
mod limits;
#[cfg(target_os = "linux")]
mod rings;
#[cfg(target_os = "linux")]
mod runner_killed;
mod stopping;
mod streams;
#[cfg(target_os = "linux")]
mod trees;
