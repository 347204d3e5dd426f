//! Children, keepers and runners as they are: real processes, mostly shells.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

mod harness;
mod launching;
mod limits;
#[cfg(target_os = "linux")]
mod runner_killed;
mod stopping;
mod streams;
#[cfg(target_os = "linux")]
mod trees;
