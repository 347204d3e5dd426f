//! Recorded streams of Cline, OpenCode, Gemini CLI and Copilot CLI, intact and damaged.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own files has failed")]

mod broken;
mod cline;
mod copilot;
mod doctored;
mod gemini;
mod opencode;
#[path = "../support/mod.rs"]
mod support;

use agents::{Agent, Completion, ProcessExit};
use support::Decoded;

const AGENTS: [Agent; 4] = [Agent::Cline, Agent::OpenCode, Agent::Gemini, Agent::Copilot];

const DONE: &str = "All finished. <promise>COMPLETE</promise>";

/// A recorded stream; all its lines must be valid.
fn play(agent: Agent, name: &str, exit: ProcessExit) -> Decoded {
    let decoded = support::decode(agent, "", &support::recorded(agent, name), exit);
    assert_eq!(decoded.unreadable, 0, "{agent} {name}");
    decoded
}

fn decode(agent: Agent, stream: &str, exit: ProcessExit) -> Decoded {
    support::decode(agent, "", stream.as_bytes(), exit)
}

fn claims_completion(decoded: &Decoded) -> bool {
    let text = decoded.last_result().map(|result| result.text.as_str()).unwrap_or_default();
    Completion::promise("COMPLETE").is_given_in(text)
}
