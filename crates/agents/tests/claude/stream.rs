//! Decodes Claude Code's streams.

use agents::{Agent, ProcessExit};

use crate::support;
pub(crate) use crate::support::Decoded;

pub(crate) fn recorded(name: &str) -> Vec<u8> {
    support::recorded(Agent::Claude, name)
}

pub(crate) fn all_recorded() -> Vec<u8> {
    support::all_recorded(Agent::Claude)
}

pub(crate) fn decode(stream: &[u8]) -> Decoded {
    support::decode(Agent::Claude, "", stream, ProcessExit::Code(0))
}
