//! What one iteration of the story loop works on, with its iteration and attempt numbers, and the agent for it.

use serde::{Deserialize, Serialize};
use tasks::{Mode, StoryId};

use crate::control::IterationAttempt;

/// The next work in the task list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoryWork {
    pub(crate) mode: Mode,
    pub(crate) story: StoryId,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Assignment {
    pub(crate) iteration: u64,
    pub(crate) attempt: u64,
    pub(crate) mode: Mode,
    pub(crate) story: StoryId,
    #[serde(default)]
    pub(crate) worker: ChosenAgent,
    /// The number of the candidate, in its clone.
    #[serde(default)]
    pub(crate) candidate: Option<u64>,
}

/// The agent of an iteration, and its model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChosenAgent {
    /// `None` is the agent of the mode.
    pub(crate) agent: Option<String>,
    /// `None` is the model of the story or of the agent.
    pub(crate) model: Option<String>,
}

impl Assignment {
    /// For the agent of the mode.
    pub(crate) fn new(
        IterationAttempt { iteration, attempt }: IterationAttempt,
        StoryWork { mode, story }: StoryWork,
    ) -> Self {
        Self { iteration, attempt, mode, story, worker: ChosenAgent::default(), candidate: None }
    }
}
