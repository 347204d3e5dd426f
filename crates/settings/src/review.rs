//! Who reviews, and how often.

use serde::Serialize;

use crate::agent::{Agent, AgentType, PromptVia, same_program};
use crate::leaf::{BOOL, POSITIVE, TEXT, WORDING};
use crate::object_reader::{FromKeys, ObjectReader};

/// How finished stories are reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Review {
    /// The program that reviews. Without it, the agent that does the work reviews in a fresh
    /// session; an independent reviewer sees more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(regex(pattern = r"\S")))]
    pub agent: Option<String>,
    /// How the reviewing program is called and its output read, as in `agent.type`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<AgentType>,
    /// More arguments for the reviewing program, one item each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flags: Option<Vec<String>>,
    /// The model for reviews, in the program's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(regex(pattern = r"\S")))]
    pub model: Option<String>,
    /// How many turns a review may take, for agents that can be told so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub max_turns: Option<u64>,
    /// How the prompt reaches the reviewing program, as in `agent.promptVia`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_via: Option<PromptVia>,
    /// How many reviews a story may take. The last one has to approve, with its concerns on record.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub cap: u64,
    /// Let implementations pass without a review. The checks still have to pass.
    pub skip: bool,
}

impl Review {
    /// The keys that are about the reviewing program, and of no use to another one.
    pub(crate) const ABOUT_THE_PROGRAM: [&str; 5] =
        ["type", "flags", "model", "maxTurns", "promptVia"];

    /// The agent that reviews: its own where one is named, else `worker` with what differs.
    pub(crate) fn agent_beside(&self, worker: &Agent) -> Agent {
        let command = self.agent.as_ref().unwrap_or(&worker.command);
        let is_worker = same_program(command, &worker.command);
        let base = if is_worker { worker.clone() } else { Agent::default() };
        Agent {
            command: command.clone(),
            kind: self.kind.or(base.kind),
            flags: self.flags.clone().unwrap_or(base.flags),
            model: self.model.clone().or(base.model),
            max_turns: self.max_turns.or(base.max_turns),
            prompt_via: self.prompt_via.or(base.prompt_via),
        }
    }
}

impl Default for Review {
    fn default() -> Self {
        Self {
            agent: None,
            kind: None,
            flags: None,
            model: None,
            max_turns: None,
            prompt_via: None,
            cap: 5,
            skip: false,
        }
    }
}

impl FromKeys for Review {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        let default = Self::default();
        Some(Self {
            agent: keys.leaf("agent", WORDING),
            kind: keys.leaf("type", AgentType::LEAF),
            flags: keys.leaves("flags", TEXT),
            model: keys.leaf("model", WORDING),
            max_turns: keys.leaf("maxTurns", POSITIVE),
            prompt_via: keys.leaf("promptVia", PromptVia::LEAF),
            cap: keys.leaf("cap", POSITIVE).unwrap_or(default.cap),
            skip: keys.leaf("skip", BOOL).unwrap_or(default.skip),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worker() -> Agent {
        Agent { flags: vec!["--fast".into()], model: Some("opus".into()), ..Agent::default() }
    }

    #[test]
    fn the_worker_reviews_with_what_differs() {
        let review = Review { model: Some("sonnet".into()), ..Review::default() };
        let expected = Agent { model: Some("sonnet".into()), ..worker() };
        assert_eq!(review.agent_beside(&worker()), expected);
    }

    #[test]
    fn the_same_program_in_another_place_is_called_as_the_worker_is() {
        let review = Review { agent: Some("/opt/claude".into()), ..Review::default() };
        let expected = Agent { command: "/opt/claude".into(), ..worker() };
        assert_eq!(review.agent_beside(&worker()), expected);
    }

    #[test]
    fn another_reviewer_gets_nothing_that_was_meant_for_the_worker() {
        let review = Review { agent: Some("codex".into()), ..Review::default() };
        let expected = Agent { command: "codex".into(), ..Agent::default() };
        assert_eq!(review.agent_beside(&worker()), expected);
    }
}
