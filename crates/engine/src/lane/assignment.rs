//! What one iteration of the story loop works on, with its iteration and attempt numbers.

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
}

impl Assignment {
    pub(crate) fn new(
        IterationAttempt { iteration, attempt }: IterationAttempt,
        StoryWork { mode, story }: StoryWork,
    ) -> Self {
        Self { iteration, attempt, mode, story }
    }
}
