//! The state of a task list at the start of an iteration, for the transition rules.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::list::TaskList;
use crate::{FieldDigests, ReviewStatus, Sha256Digest, StoryId, VerifyCommand};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    pub stories: BTreeMap<StoryId, StoryState>,
    /// Digests of each story's criteria. A story without an entry is not compared.
    pub criteria: BTreeMap<StoryId, Vec<Sha256Digest>>,
    /// Each story's other fields. A story without an entry is not compared.
    pub fields: BTreeMap<StoryId, FieldDigests>,
    /// `None` if the snapshot does not record them.
    pub verify_commands: Option<Vec<VerifyCommand>>,
    /// The top-level fields; `None` if not recorded.
    pub list_fields: Option<FieldDigests>,
}

/// The fields that only the review cycle may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryState {
    pub passes: bool,
    pub review_status: ReviewStatus,
    pub review_count: u64,
}

impl Snapshot {
    pub fn of(list: &TaskList) -> Self {
        let stories = list.stories.iter();
        Self {
            stories: stories.clone().map(|story| (story.id.clone(), story.state())).collect(),
            criteria: stories
                .map(|story| {
                    let digests = story.acceptance_criteria.iter().map(Sha256Digest::of);
                    (story.id.clone(), digests.collect())
                })
                .collect(),
            fields: list.stories.iter().map(|it| (it.id.clone(), it.fields.clone())).collect(),
            verify_commands: Some(list.verify_commands.clone()),
            list_fields: Some(list.fields.clone()),
        }
    }
}

impl StoryState {
    /// The initial state of every story.
    pub const FRESH: Self =
        Self { passes: false, review_status: ReviewStatus::NotSubmitted, review_count: 0 };

    /// Whether `passes` and `approved` agree.
    pub fn in_sync(self) -> bool {
        self.passes == (self.review_status == ReviewStatus::Approved)
    }
}
