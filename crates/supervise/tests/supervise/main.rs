//! Real children, keepers and runners, mostly shells.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

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
