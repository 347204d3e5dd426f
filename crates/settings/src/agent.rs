//! The agent program and how it is called.

use std::path::Path;

use agents::Agent as AgentType;
use json_reader::{Leaf, TEXT};
use run_options::PromptVia;
use serde::Serialize;

use crate::leaf::{NON_BLANK, POSITIVE};
use crate::section::{Keys, Section, defaults, optional_section};

/// The agent that implements.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Agent {
    /// The program to start: a name in PATH, or a path.
    pub command: String,
    /// How the program is called and its output parsed. Default: by the file name of the command; an unknown
    /// command is called as `text`.
    #[serde(rename = "type")]
    pub kind: Option<AgentType>,
    /// Additional arguments for the program, one item each: `["--add-dir", "../shared"]`.
    pub flags: Vec<String>,
    /// The model, as the program names it. Default: the program's choice.
    pub model: Option<String>,
    /// The model to use if the first one is overloaded, for agents that support it.
    pub fallback_model: Option<String>,
    /// The most turns of the agent in one iteration, for agents that support it.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub max_turns: Option<u64>,
    /// How the prompt is passed to the program. Default: by its type.
    pub prompt_via: Option<PromptVia>,
    /// How each output line of a program of type `json` is parsed.
    pub filters: Option<Filters>,
}

/// jq filters, each applied to every line that the program prints.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Filters {
    /// The agent's messages, as strings.
    pub text: Option<String>,
    /// The final message, as a string. Without it, the last message that no tool call follows.
    pub result: Option<String>,
    /// Tool calls, as strings or as objects with `name` and `summary`.
    pub tool: Option<String>,
    /// The cost in dollars that the line adds to the session, as a number.
    pub cost_usd: Option<String>,
}

/// `claude` and `/opt/bin/claude.exe` are the same program.
pub(crate) fn same_program(one: &str, other: &str) -> bool {
    let name = |command: &str| Path::new(command).file_stem().map(ToOwned::to_owned);
    one == other || name(one) == name(other)
}

impl Default for Agent {
    fn default() -> Self {
        defaults()
    }
}

impl Section for Agent {
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self {
        Self {
            command: keys.or("command", NON_BLANK, "claude".into()),
            kind: keys.optional("type", Leaf::word()),
            flags: keys.items("flags", TEXT).unwrap_or_default(),
            model: keys.optional("model", NON_BLANK),
            fallback_model: keys.optional("fallbackModel", NON_BLANK),
            max_turns: keys.optional("maxTurns", POSITIVE),
            prompt_via: keys.optional("promptVia", Leaf::word()),
            filters: optional_section(keys, "filters"),
        }
    }
}

impl Section for Filters {
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self {
        Self {
            text: keys.optional("text", NON_BLANK),
            result: keys.optional("result", NON_BLANK),
            tool: keys.optional("tool", NON_BLANK),
            cost_usd: keys.optional("costUsd", NON_BLANK),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_identified_by_its_name() {
        assert!(same_program("claude", "/opt/bin/claude"));
        assert!(same_program("claude.exe", "claude"));
        assert!(!same_program("codex", "/opt/bin/claude"));
    }
}
