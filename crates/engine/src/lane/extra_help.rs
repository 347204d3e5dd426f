//! The help that an attempt at a story gets and earlier attempts did not get.

use serde::{Deserialize, Serialize};

use crate::options::{AgentOptions, StoryOptions};

/// How often a story fails with the same help before it gets the next one, if the failure changed. Once, if it did not.
pub(crate) const ATTEMPTS_PER_HELP: u64 = 2;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ExtraHelp {
    #[default]
    None,
    StrategyShift,
    ContextExpansion,
    ShiftAndExpansion,
    /// Another model of the implementing agent.
    Model(String),
    /// Another agent.
    Agent(String),
    /// Several fresh attempts, of which one is taken over.
    Candidates,
}

impl ExtraHelp {
    pub(crate) fn shifts(&self) -> bool {
        matches!(self, Self::StrategyShift | Self::ShiftAndExpansion)
    }

    pub(crate) fn expands(&self) -> bool {
        matches!(self, Self::ContextExpansion | Self::ShiftAndExpansion)
    }

    /// Whether more than the implementing agent with its model works on the story.
    pub(crate) fn is_stronger(&self) -> bool {
        matches!(self, Self::Model(_) | Self::Agent(_) | Self::Candidates)
    }
}

impl StoryOptions {
    /// The stronger help for a story that would otherwise be given up. `model` is the story's own.
    pub(crate) fn stronger_help(&self, model: Option<&str>) -> Vec<ExtraHelp> {
        let (worker, help) = (&self.run.agent, &self.help);
        let (name, model) = (worker.name(), model.or(worker.model.as_deref()));
        let models = help.models.iter().filter(|stronger| Some(stronger.as_str()) != model);
        let agents =
            help.agents.iter().map(AgentOptions::name).filter(|stronger| *stronger != name);
        let models = models.cloned().map(ExtraHelp::Model);
        let candidates = help.candidates.as_ref().map(|_| ExtraHelp::Candidates);
        models.chain(agents.map(ExtraHelp::Agent)).chain(candidates).collect()
    }

    /// The most attempts at a story, with all help.
    pub(crate) fn most_attempts(&self) -> u64 {
        let stronger = self.stronger_help(None).len() as u64;
        self.attempts.most.saturating_add(stronger * ATTEMPTS_PER_HELP)
    }
}
