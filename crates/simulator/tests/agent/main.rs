//! The simulated agent as a runner sees it: its lines, its exit codes, what it does to a project.
//!
//! Unix only: the hooks of these tests are shell scripts, and half of them are about signals.

#![cfg(unix)]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod endings;
mod honest;
mod hooks;
mod processes;
mod project;
mod shape;
mod structured;
mod tricks;
