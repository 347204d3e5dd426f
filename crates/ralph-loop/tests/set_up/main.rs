//! `ralph-loop init`, `draft` and `validate` as built programs, with and without a pseudo-terminal.

#![cfg(unix)]
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot continue fails at once")]

mod dialogue;
mod drafting;
mod forge;
mod from_plan;
mod issues;
mod project;
mod pull_requests;
mod sync;
mod terminal;
mod validating;
mod without_terminal;
