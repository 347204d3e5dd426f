//! The output of any program as an answer.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own files has failed")]

mod echoes;
mod output;
#[path = "../support/mod.rs"]
mod support;
