//! The simulated agent as a runner sees it: its lines, its exit codes, its changes to a project.
//!
//! Unix only: the tests need shell scripts and signals.

#![cfg(unix)]
#![expect(clippy::panic, clippy::unwrap_used, reason = "a panic fails the test")]

mod endings;
mod honest;
mod hooks;
mod processes;
mod project;
mod shape;
mod specify;
mod structured;
mod tricks;
