//! What a task list looked like when an iteration began: all that the transition rules compare.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::list::TaskList;
use crate::{FieldDigests, ReviewStatus, Sha256Digest, StoryId};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    pub stories: BTreeMap<StoryId, StoryState>,
    /// Digests of each story's criteria; a story without an entry is not compared.
    pub criteria: BTreeMap<StoryId, Vec<Sha256Digest>>,
    /// Each story's other fields; a story without an entry is not compared.
    pub fields: BTreeMap<StoryId, FieldDigests>,
    /// `None` when the snapshot's author did not record them.
    pub verify_commands: Option<Vec<String>>,
    /// The list's own fields; `None` as above.
    pub list_fields: Option<FieldDigests>,
}

/// The fields that only the review cycle may move.
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
    /// Where every story starts.
    pub const FRESH: Self =
        Self { passes: false, review_status: ReviewStatus::NotSubmitted, review_count: 0 };

    /// Whether `passes` and `approved` say the same.
    pub fn in_sync(self) -> bool {
        self.passes == (self.review_status == ReviewStatus::Approved)
    }
}
