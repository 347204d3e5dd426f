//! `ralph-loop init`, `draft` and `validate` as people and scripts meet them: the built program, on a
//! pseudo-terminal and without one.

#![cfg(unix)]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod dialogue;
mod drafting;
mod from_plan;
mod project;
mod terminal;
mod validating;
mod without_terminal;
