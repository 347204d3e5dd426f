//! Amp's recorded streams, intact and damaged.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own files has failed")]

mod hostile;
mod recorded;
#[path = "../support/mod.rs"]
mod support;
