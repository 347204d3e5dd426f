//! Which stories will never be begun, because what they wait for failed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use engine::{StoryBrief, WaitingStory};
use tasks::StoryId;

/// What each story waits for: as a run said at its end, or else as it said when it gave a story up.
pub fn waiting(stories: &[StoryBrief], told: &[WaitingStory]) -> BTreeMap<StoryId, Vec<StoryId>> {
    let mut waits: BTreeMap<StoryId, Vec<StoryId>> = BTreeMap::new();
    for story in stories {
        for dependant in story.given_up.iter().flat_map(|given_up| &given_up.dependants) {
            waits.entry(dependant.clone()).or_default().push(story.id.clone());
        }
    }
    waits.extend(told.iter().map(|told| (told.story.clone(), told.waits_for.clone())));
    waits
}

/// Those that wait for a failed story, or for one that does. What waits for work that merely is not
/// done yet is not blocked.
pub fn blocked(
    waits: &BTreeMap<StoryId, Vec<StoryId>>,
    stories: &[StoryBrief],
) -> BTreeSet<StoryId> {
    // Of two with one id, the first is meant.
    let by_id: HashMap<&StoryId, &StoryBrief> =
        stories.iter().rev().map(|story| (&story.id, story)).collect();
    let find = |id: &StoryId| by_id.get(id);
    // One that is not in the list will never pass either.
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
    use engine::{GiveUpReason, StoryCommits};
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
        let told: Vec<WaitingStory> = pairs
            .iter()
            .map(|(story, on)| WaitingStory { story: id(story), waits_for: vec![id(on)] })
            .collect();
        let stories = stories();
        let waits = waiting(&stories, &told);
        blocked(&waits, &stories).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn only_what_failed_blocks_however_long_the_chain() {
        let blocked = waits(&[("B", "C"), ("C", "A"), ("E", "D"), ("D", "gone")]);
        assert_eq!(blocked, ["B", "C", "D", "E", "US-006"].map(String::from).into());
        assert_eq!(waits(&[("E", "D")]), ["US-006".to_owned()].into());
    }

    #[test]
    fn a_circle_of_stories_that_wait_for_each_other_comes_to_an_end() {
        assert_eq!(waits(&[("B", "C"), ("C", "B")]), ["US-006".to_owned()].into());
    }
}
