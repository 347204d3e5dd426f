//! The agent program and how it is called.

use std::path::Path;

use agents::Agent as AgentType;
use json_reader::{Leaf, TEXT};
use run_options::PromptVia;
use serde::Serialize;

use crate::leaf::{NON_BLANK, POSITIVE};
use crate::section::{Keys, Section, read_section};

/// The agent that implements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Agent {
    /// The program to start: a name in PATH, or a path.
    #[cfg_attr(test, schemars(regex(pattern = r"\S")))]
    pub command: String,
    /// How the program is called and its output parsed. Default: by the file name of the command; an unknown
    /// command is called as `text`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<AgentType>,
    /// Additional arguments for the program, one item each: `["--add-dir", "../shared"]`.
    pub flags: Vec<String>,
    /// The model, as the program names it. Default: the program's choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(regex(pattern = r"\S")))]
    pub model: Option<String>,
    /// The model to use if the first one is overloaded, for agents that support it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(regex(pattern = r"\S")))]
    pub fallback_model: Option<String>,
    /// The most turns of the agent in one iteration, for agents that support it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub max_turns: Option<u64>,
    /// How the prompt is passed to the program. Default: by its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_via: Option<PromptVia>,
    /// How each output line of a program of type `json` is parsed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filters: Option<Filters>,
}

/// jq filters, each applied to every line that the program prints.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Filters {
    /// The agent's messages, as strings.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(regex(pattern = r"\S")))]
    pub text: Option<String>,
    /// The final message, as a string. Without it, the last message that no tool call follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(regex(pattern = r"\S")))]
    pub result: Option<String>,
    /// Tool calls, as strings or as objects with `name` and `summary`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(regex(pattern = r"\S")))]
    pub tool: Option<String>,
    /// The cost in dollars that the line adds to the session, as a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(regex(pattern = r"\S")))]
    pub cost_usd: Option<String>,
}

/// `claude` and `/opt/bin/claude.exe` are the same program.
pub(crate) fn same_program(one: &str, other: &str) -> bool {
    let name = |command: &str| Path::new(command).file_stem().map(ToOwned::to_owned);
    one == other || name(one) == name(other)
}

impl Default for Agent {
    fn default() -> Self {
        Self {
            command: "claude".into(),
            kind: None,
            flags: Vec::new(),
            model: None,
            fallback_model: None,
            max_turns: None,
            prompt_via: None,
            filters: None,
        }
    }
}

impl Section for Agent {
    fn read(&mut self, keys: &mut Keys<'_, '_, '_>) {
        keys.set("command", &mut self.command, NON_BLANK);
        keys.set("type", &mut self.kind, Leaf::<AgentType>::word());
        keys.set_items("flags", &mut self.flags, TEXT);
        keys.set("model", &mut self.model, NON_BLANK);
        keys.set("fallbackModel", &mut self.fallback_model, NON_BLANK);
        keys.set("maxTurns", &mut self.max_turns, POSITIVE);
        keys.set("promptVia", &mut self.prompt_via, Leaf::<PromptVia>::word());
        read_section(keys, "filters", &mut self.filters);
    }
}

impl Section for Filters {
    fn read(&mut self, keys: &mut Keys<'_, '_, '_>) {
        keys.set("text", &mut self.text, NON_BLANK);
        keys.set("result", &mut self.result, NON_BLANK);
        keys.set("tool", &mut self.tool, NON_BLANK);
        keys.set("costUsd", &mut self.cost_usd, NON_BLANK);
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
