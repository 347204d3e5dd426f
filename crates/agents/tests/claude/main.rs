//! Claude Code's recorded streams, intact and damaged.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own files has failed")]

mod endings;
mod hostile;
mod recorded;
mod stream;
#[path = "../support/mod.rs"]
mod support;
mod thread;
