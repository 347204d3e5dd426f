//! Codex's recorded streams, intact and damaged.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own files has failed")]

mod endings;
mod hostile;
mod items;
mod recorded;
#[path = "../support/mod.rs"]
mod support;

use agents::{Agent, ProcessExit};

fn decode(stream: &str) -> support::Decoded {
    support::decode(Agent::Codex, "", stream.as_bytes(), ProcessExit::Code(0))
}
