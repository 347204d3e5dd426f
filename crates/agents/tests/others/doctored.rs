//! Recorded streams with the tag everywhere except in the agent's final message.

use agents::{Agent, ProcessExit};
use serde_json::Value;

use crate::support::{decode, names, recorded};
use crate::{AGENTS, DONE, claims_completion};

const TAG: &str = "<promise>COMPLETE</promise>";

/// The agent's first message in all recordings.
const FIRST: &str = "I will run one command.";

/// The fields that distinguish line types.
const KINDS: [&str; 7] =
    ["type", "role", "contentType", "status", "finishReason", "hookEventName", "reason"];

/// Which texts stay unchanged or become harmless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spared {
    /// The final message.
    Final,
    /// All messages of the agent.
    AllMessages,
}

pub(crate) fn doctored(agent: Agent, name: &str, spared: Spared) -> String {
    let stream = String::from_utf8(recorded(agent, name)).unwrap();
    let lines = stream.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        doctor(&mut line, spared);
        format!("{line}\n")
    });
    lines.collect()
}

fn doctor(value: &mut Value, spared: Spared) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| doctor(item, spared)),
        Value::Object(fields) => {
            let fields = fields.iter_mut().filter(|(name, _)| !KINDS.contains(&name.as_str()));
            fields.for_each(|(_, value)| doctor(value, spared));
        }
        Value::String(text) => *text = replacement(text, spared).to_owned(),
        _ => {}
    }
}

fn replacement(text: &str, spared: Spared) -> &str {
    let part_of = |message: &str| !text.trim().is_empty() && message.contains(text.trim());
    if part_of(DONE) {
        "Not yet. "
    } else if spared == Spared::AllMessages && part_of(FIRST) {
        text
    } else {
        TAG
    }
}

#[test]
fn a_tag_anywhere_else_completes_nothing() {
    for agent in AGENTS {
        for name in names(agent) {
            for spared in [Spared::Final, Spared::AllMessages] {
                let stream = doctored(agent, &name, spared);
                assert!(stream.contains(TAG), "{agent} {name}");
                let decoded = decode(agent, "", stream.as_bytes(), ProcessExit::Code(0));
                assert!(!claims_completion(&decoded), "{agent} {name}: {:?}", decoded.result());
                assert!(!decoded.result().text.contains(TAG), "{agent} {name}");
            }
        }
    }
}

#[test]
fn the_final_message_is_still_decoded() {
    for agent in AGENTS {
        let stream = doctored(agent, "completed", Spared::Final);
        let decoded = decode(agent, "", stream.as_bytes(), ProcessExit::Code(0));
        assert!(decoded.result().text.starts_with("Not yet."), "{agent}: {:?}", decoded.result());
    }
}
