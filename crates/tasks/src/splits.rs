//! Checks removed stories: a story may be removed only by a split that keeps all of its criteria.

use std::collections::{BTreeMap, BTreeSet};

use crate::list::{Story, TaskList};
use crate::snapshot::Snapshot;
use crate::violation::{Restore, Violation};
use crate::{Mode, Sha256Digest, StoryId};

/// The removed stories and their replacements.
#[derive(Debug, Default)]
pub(crate) struct Splits<'a> {
    /// New stories with the story they were split from.
    origins: BTreeMap<&'a StoryId, &'a StoryId>,
    pub(crate) violations: Vec<Violation>,
}

impl<'a> Splits<'a> {
    /// In a review and in a specify iteration no story may be split.
    pub(crate) fn of(before: &'a Snapshot, after: &'a TaskList, mode: Option<Mode>) -> Self {
        let may_split = !matches!(mode, Some(Mode::Review | Mode::Specify));
        let mut parts: BTreeMap<&StoryId, Vec<&Story>> = BTreeMap::new();
        let mut present: BTreeSet<&StoryId> = BTreeSet::new();
        for story in &after.stories {
            present.insert(&story.id);
            if let (Some(from), false) = (&story.split_from, before.stories.contains_key(&story.id))
            {
                parts.entry(from).or_default().push(story);
            }
        }
        let mut splits = Self::default();
        for id in before.stories.keys().filter(|id| !present.contains(id)) {
            let Some(parts) = parts.get(id).filter(|_| may_split) else {
                splits.remove(
                    id,
                    format!(
                        "removed. Restore it. To split it (only in an implement or review-fix iteration), name it in every new \
                         story: \"splitFrom\": \"{id}\"."
                    ),
                );
                continue;
            };
            let criteria = before.criteria.get(id).map_or(&[][..], |criteria| criteria);
            match lost_criteria(criteria, parts) {
                0 => splits.origins.extend(parts.iter().map(|part| (&part.id, id))),
                missing => splits.remove(
                    id,
                    format!(
                        "split, but {missing} of {} criteria are in none of the new stories. \
                         Repeat the exact text of each criterion in one of them.",
                        criteria.len()
                    ),
                ),
            }
        }
        splits
    }

    fn remove(&mut self, id: &StoryId, what: String) {
        self.violations.push(Violation::of_story(id, Restore::Removed(id.clone()), what));
    }

    /// The story that `id` was split from, or `id`.
    pub(crate) fn origin<'i: 'a>(&self, id: &'i StoryId) -> &'a StoryId {
        self.origins.get(id).copied().unwrap_or(id)
    }
}

/// How many of `criteria` are in no part with their exact text.
pub(crate) fn lost_criteria(criteria: &[Sha256Digest], parts: &[&Story]) -> usize {
    let carried = parts.iter().flat_map(|part| &part.acceptance_criteria);
    let carried: BTreeSet<Sha256Digest> = carried.map(Sha256Digest::of).collect();
    criteria.iter().filter(|criterion| !carried.contains(criterion)).count()
}
