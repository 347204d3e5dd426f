//! Entries as they are: real processes, in the network of the test unless bubblewrap is asked for.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

mod bridging;
mod commands;
mod harness;
mod helper_life;
mod scope;
