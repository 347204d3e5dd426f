//! Which stories can never start, because they depend on a failed story.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{RunView, StoryBrief, WaitingStory};
use tasks::StoryId;

impl RunView {
    /// What each blocked story waits for.
    pub fn blocked(&self) -> BTreeMap<StoryId, Vec<StoryId>> {
        let reported = self.end.as_ref().map_or(&[][..], |end| &end.waiting);
        let mut waits = waiting(&self.stories, reported);
        let blocked = blocked(&waits, &self.stories);
        waits.retain(|story, _| blocked.contains(story));
        waits
    }
}

/// What each story waits for, from the end of a run, else from the given-up stories.
pub fn waiting(
    stories: &[StoryBrief],
    reported: &[WaitingStory],
) -> BTreeMap<StoryId, Vec<StoryId>> {
    let mut waits: BTreeMap<StoryId, Vec<StoryId>> = BTreeMap::new();
    for story in stories {
        for dependant in story.given_up.iter().flat_map(|given_up| &given_up.dependants) {
            waits.entry(dependant.clone()).or_default().push(story.id.clone());
        }
    }
    waits.extend(
        reported.iter().map(|reported| (reported.story.clone(), reported.waits_for.clone())),
    );
    waits
}

/// Stories that depend, directly or not, on a failed story. A story that waits for unfinished work is not
/// blocked.
pub fn blocked(
    waits: &BTreeMap<StoryId, Vec<StoryId>>,
    stories: &[StoryBrief],
) -> BTreeSet<StoryId> {
    // For duplicate ids, the first counts.
    let by_id: HashMap<&StoryId, &StoryBrief> =
        stories.iter().rev().map(|story| (&story.id, story)).collect();
    let find = |id: &StoryId| by_id.get(id);
    // A story that is not in the list will never pass either.
    let is_lost = |id: &StoryId| find(id).is_none_or(|story| story.given_up.is_some());
    let is_open = |id: &StoryId| find(id).is_none_or(|s| !s.passes && s.given_up.is_none());
    let mut blocked = BTreeSet::new();
    loop {
        let before = blocked.len();
        for (story, waits_for) in waits.iter().filter(|(story, _)| is_open(story)) {
            if waits_for.iter().any(|id| is_lost(id) || blocked.contains(id)) {
                blocked.insert(story.clone());
            }
        }
        if blocked.len() == before {
            return blocked;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{GiveUpReason, StoryCommits};
    use tasks::ReviewStatus;

    use super::*;
    use crate::samples::{given_up, id, story};

    fn stories() -> Vec<StoryBrief> {
        let open = |name| story(name, "x", ReviewStatus::NotSubmitted, 0);
        let mut stories = ["A", "B", "C", "D", "E"].map(open).to_vec();
        stories[0].given_up = Some(given_up(GiveUpReason::Stuck, StoryCommits::Nothing));
        stories
    }

    fn waits(pairs: &[(&str, &str)]) -> BTreeSet<String> {
        let reported: Vec<WaitingStory> = pairs
            .iter()
            .map(|(story, on)| WaitingStory { story: id(story), waits_for: vec![id(on)] })
            .collect();
        let stories = stories();
        let waits = waiting(&stories, &reported);
        blocked(&waits, &stories).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn only_failed_stories_block_however_long_the_chain() {
        let blocked = waits(&[("B", "C"), ("C", "A"), ("E", "D"), ("D", "gone")]);
        assert_eq!(blocked, ["B", "C", "D", "E", "US-006"].map(String::from).into());
        assert_eq!(waits(&[("E", "D")]), ["US-006".to_owned()].into());
    }

    #[test]
    fn a_cycle_of_waiting_stories_terminates() {
        assert_eq!(waits(&[("B", "C"), ("C", "B")]), ["US-006".to_owned()].into());
    }
}
