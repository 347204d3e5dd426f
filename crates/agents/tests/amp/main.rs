//! Amp's streams, as they were recorded and as they could be broken.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own files has failed")]

mod hostile;
mod recorded;
#[path = "../support/mod.rs"]
mod support;
