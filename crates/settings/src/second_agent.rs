//! An agent for another role than implementing: the same program with differences, or another one.

use agents::Agent as AgentType;
use json_reader::{Leaf, TEXT};
use run_options::PromptVia;

use crate::agent::{Agent, Filters, same_program};
use crate::leaf::{NON_BLANK, POSITIVE};
use crate::section::{optional_section, settings};

settings! {
    /// Differences from the implementing agent.
    pub struct SecondAgent from keys {
        /// The program. Default: the implementing agent, in a new session. An independent program finds more.
        pub agent: Option<String> = keys.optional("agent", NON_BLANK),
        /// How that program is called and its output parsed, as in `agent.type`.
        #[serde(rename = "type")]
        pub kind: Option<AgentType> = keys.optional("type", Leaf::word()),
        /// Additional arguments for that program, one item each.
        pub flags: Option<Vec<String>> = keys.items("flags", TEXT),
        /// The model, as the program names it.
        pub model: Option<String> = keys.optional("model", NON_BLANK),
        /// The most turns, for agents that support it.
        #[cfg_attr(test, schemars(range(min = 1)))]
        pub max_turns: Option<u64> = keys.optional("maxTurns", POSITIVE),
        /// How the prompt is passed to that program, as in `agent.promptVia`.
        pub prompt_via: Option<PromptVia> = keys.optional("promptVia", Leaf::word()),
        /// How each output line of that program is parsed, as in `agent.filters`.
        pub filters: Option<Filters> = optional_section(keys, "filters"),
    }
}

impl SecondAgent {
    /// The settings objects with these keys.
    pub(crate) const OBJECTS: [&str; 3] = ["review", "quality", "memory"];

    /// The keys that are specific to its program.
    pub(crate) const ABOUT_THE_PROGRAM: [&str; 6] =
        ["type", "flags", "model", "maxTurns", "promptVia", "filters"];

    /// Its own program if named, else `worker` with the differences.
    pub(crate) fn resolve(&self, worker: &Agent) -> Agent {
        let command = self.agent.as_ref().unwrap_or(&worker.command);
        let is_worker = same_program(command, &worker.command);
        let base = if is_worker { worker.clone() } else { Agent::default() };
        Agent {
            command: command.clone(),
            kind: self.kind.or(base.kind),
            flags: self.flags.clone().unwrap_or(base.flags),
            model: self.model.clone().or(base.model),
            fallback_model: base.fallback_model,
            fallbacks: base.fallbacks,
            max_turns: self.max_turns.or(base.max_turns),
            prompt_via: self.prompt_via.or(base.prompt_via),
            filters: self.filters.clone().or(base.filters),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worker() -> Agent {
        Agent { flags: vec!["--fast".into()], model: Some("opus".into()), ..Agent::default() }
    }

    #[test]
    fn the_implementing_agent_is_used_with_differences() {
        let second = SecondAgent { model: Some("sonnet".into()), ..SecondAgent::default() };
        let expected = Agent { model: Some("sonnet".into()), ..worker() };
        assert_eq!(second.resolve(&worker()), expected);
    }

    #[test]
    fn the_same_program_in_another_place_is_called_as_the_worker_is() {
        let second = SecondAgent { agent: Some("/opt/claude".into()), ..SecondAgent::default() };
        let expected = Agent { command: "/opt/claude".into(), ..worker() };
        assert_eq!(second.resolve(&worker()), expected);
    }

    #[test]
    fn another_program_inherits_nothing() {
        let second = SecondAgent { agent: Some("codex".into()), ..SecondAgent::default() };
        let expected = Agent { command: "codex".into(), ..Agent::default() };
        assert_eq!(second.resolve(&worker()), expected);
    }
}
