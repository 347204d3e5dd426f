//! The agent program and how it is called.

use std::path::Path;

use agents::Agent as AgentType;
use json_reader::{Leaf, TEXT};
use run_options::PromptVia;

use crate::leaf::{NON_BLANK, POSITIVE};
use crate::section::{optional_section, settings};

settings! {
    /// The agent that implements.
    pub struct Agent from keys {
        /// The program to start: a name in PATH, or a path.
        pub command: String = keys.or("command", NON_BLANK, "claude".into()),
        /// How the program is called and its output parsed. Default: by the file name of the command; an unknown
        /// command is called as `text`.
        #[serde(rename = "type")]
        pub kind: Option<AgentType> = keys.optional("type", Leaf::word()),
        /// Additional arguments for the program, one item each: `["--add-dir", "../shared"]`.
        pub flags: Vec<String> = keys.items("flags", TEXT).unwrap_or_default(),
        /// The model, as the program names it. Default: the program's choice.
        pub model: Option<String> = keys.optional("model", NON_BLANK),
        /// The model to use if the first one is overloaded, for agents that support it.
        pub fallback_model: Option<String> = keys.optional("fallbackModel", NON_BLANK),
        /// Agents for a story while this one is at its usage limit, in this order: programs, as in `command`. One
        /// that `review` names is called as set there.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub fallbacks: Vec<String> = keys.items("fallbacks", NON_BLANK).unwrap_or_default(),
        /// The most turns of the agent in one iteration, for agents that support it.
        #[cfg_attr(test, schemars(range(min = 1)))]
        pub max_turns: Option<u64> = keys.optional("maxTurns", POSITIVE),
        /// How the prompt is passed to the program. Default: by its type.
        pub prompt_via: Option<PromptVia> = keys.optional("promptVia", Leaf::word()),
        /// How each output line of a program of type `json` is parsed.
        pub filters: Option<Filters> = optional_section(keys, "filters"),
    }
}

settings! {
    /// jq filters, each applied to every line that the program prints.
    pub struct Filters from keys {
        /// The agent's messages, as strings.
        pub text: Option<String> = keys.optional("text", NON_BLANK),
        /// The final message, as a string. Without it, the last message that no tool call follows.
        pub result: Option<String> = keys.optional("result", NON_BLANK),
        /// Tool calls, as strings or as objects with `name` and `summary`.
        pub tool: Option<String> = keys.optional("tool", NON_BLANK),
        /// The cost in dollars that the line adds to the session, as a number.
        pub cost_usd: Option<String> = keys.optional("costUsd", NON_BLANK),
    }
}

/// `claude` and `/opt/bin/claude.exe` are the same program.
pub(crate) fn same_program(one: &str, other: &str) -> bool {
    let name = |command: &str| Path::new(command).file_stem().map(ToOwned::to_owned);
    one == other || name(one) == name(other)
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
