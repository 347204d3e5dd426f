//! Limits a run to one story (`--story`).

use tasks::{BlockedReason, Scope, Selection, StoryId, TaskList};

use crate::RunError;
use crate::coordinator::core::Coordinator;

impl Coordinator<'_> {
    /// Refuses a story that cannot be worked on. A resumed run that already worked on it ends normally instead.
    pub(crate) fn limit_to_story(
        &mut self,
        list: &TaskList,
        resumed: bool,
    ) -> Result<(), RunError> {
        let Some(story) = &self.options.only_story else {
            self.state.scope = Scope::default();
            return Ok(());
        };
        let scope = &self.state.scope;
        let was_limited = resumed && *scope != Scope::default() && scope.contains(story);
        if !was_limited {
            self.state.scope = Scope::of(story.clone());
        }
        self.state.scope.follow_splits(list);
        match self.select(list) {
            Selection::Work { .. } => Ok(()),
            _ if was_limited => Ok(()),
            unfit => Err(refused(story, list, &unfit, &self.layout.tasks_name())),
        }
    }
}

fn refused(story: &StoryId, list: &TaskList, found: &Selection, tasks: &str) -> RunError {
    let others = "`ralph-loop status` shows the open stories";
    match found {
        Selection::Blocked(blocked) if blocked.is_empty() => {
            RunError::precondition(format!("story {story} not found in {tasks}"), others)
        }
        Selection::Blocked(blocked) => {
            let reasons: Vec<String> = blocked.iter().map(ToString::to_string).collect();
            let hint = match &blocked[0].waiting {
                BlockedReason::For(ids) => {
                    format!("start with `ralph-loop run --story={}`", ids[0])
                }
                BlockedReason::GivenUp => {
                    format!("`ralph-loop run --story={story} --fresh` tries it again")
                }
                BlockedReason::Answer => "`ralph-loop questions` shows the question".into(),
                BlockedReason::OutOfSync => others.into(),
            };
            RunError::precondition(reasons.join("; "), hint)
        }
        Selection::Complete | Selection::Work { .. } => {
            let is_split = list.story(story).is_none();
            let how =
                if is_split { "was split, and all its parts are done" } else { "is done already" };
            RunError::precondition(format!("story {story} {how}"), others)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const LIST: &str = r#"{ "project": "p", "branchName": "b", "description": "", "userStories": [
        { "id": "A", "title": "t", "acceptanceCriteria": ["c"], "priority": 1, "passes": true,
          "reviewStatus": "approved", "reviewCount": 1, "reviewFeedback": "", "notes": "n" },
        { "id": "B", "title": "t", "acceptanceCriteria": ["c"], "priority": 2, "passes": false,
          "reviewStatus": "changes_requested", "reviewCount": 1, "reviewFeedback": "f" },
        { "id": "C", "title": "t", "acceptanceCriteria": ["c"], "priority": 3, "passes": false,
          "reviewStatus": null, "reviewCount": 0, "reviewFeedback": "", "dependsOn": ["B"] },
        { "id": "D", "title": "t", "acceptanceCriteria": ["c"], "priority": 4, "passes": false,
          "reviewStatus": null, "reviewCount": 0, "reviewFeedback": "", "splitFrom": "old" } ] }"#;

    fn list() -> TaskList {
        let inspected = tasks::inspect(LIST.as_bytes());
        assert!(inspected.problems.is_empty(), "{:?}", inspected.problems);
        inspected.list.unwrap()
    }

    fn selected(story: &str, failed: &[&str]) -> Selection {
        let list = list();
        let failed: BTreeSet<StoryId> =
            failed.iter().map(|id| StoryId::new(*id).unwrap()).collect();
        let mut scope = Scope::of(StoryId::new(story).unwrap());
        scope.follow_splits(&list);
        tasks::select(
            &list,
            tasks::ReviewPolicy::Required { cap: 5 },
            &failed,
            &BTreeSet::new(),
            &scope,
        )
    }

    fn refusal(story: &str, failed: &[&str]) -> (String, String) {
        let id = StoryId::new(story).unwrap();
        let error = refused(&id, &list(), &selected(story, failed), "ralph/tasks.json");
        (error.to_string(), error.hint().unwrap())
    }

    #[test]
    fn only_the_story_and_its_parts_are_selected() {
        let work = |story: &str| match selected(story, &[]) {
            Selection::Work { story, .. } => story.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(work("B"), "B");
        assert_eq!(work("D"), "D", "although the review of B requests changes");
        assert_eq!(work("old"), "D", "D is a part of the split story");
    }

    #[test]
    fn a_story_that_cannot_be_worked_on_is_refused_with_the_reason() {
        let (why, hint) = refusal("X", &[]);
        assert_eq!(why, "story X not found in ralph/tasks.json");
        assert!(hint.contains("ralph-loop status"), "{hint}");
        assert_eq!(refusal("A", &[]).0, "story A is done already");
        let waits = ("story C waits for B", "start with `ralph-loop run --story=B`");
        assert_eq!(refusal("C", &[]), (waits.0.into(), waits.1.into()));
        let (why, hint) = refusal("B", &["B"]);
        assert_eq!(why, "story B was given up");
        assert!(hint.contains("--story=B --fresh"), "{hint}");
    }
}
