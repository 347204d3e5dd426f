//! Real entry processes, in the test's network unless bubblewrap is used.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod bridging;
mod commands;
mod harness;
mod helper_life;
mod scope;
