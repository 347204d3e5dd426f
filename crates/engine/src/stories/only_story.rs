//! A run that is limited to one story.

use tasks::{Scope, Selection, StoryId, TaskList, Waiting};

use crate::RunError;
use crate::stories::run::Run;

impl Run<'_> {
    /// Limits the run as its options say. A story that cannot be worked on is an error, unless this run was at it
    /// before: then it ends as such a run does.
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
    let others = "`ralph-loop status` shows the stories that are left";
    match found {
        Selection::Blocked(blocked) if blocked.is_empty() => {
            RunError::precondition(format!("there is no story {story} in {tasks}"), others)
        }
        Selection::Blocked(blocked) => {
            let reasons: Vec<String> = blocked.iter().map(ToString::to_string).collect();
            let hint = match &blocked[0].waiting {
                Waiting::For(ids) => format!("begin with `ralph-loop run --story={}`", ids[0]),
                Waiting::GivenUp => {
                    format!("`ralph-loop run --story={story} --fresh` tries it again")
                }
                Waiting::OutOfSync => others.into(),
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
        tasks::select(&list, tasks::ReviewPolicy::Required { cap: 5 }, &failed, &scope)
    }

    fn words(story: &str, failed: &[&str]) -> (String, String) {
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
        assert_eq!(work("D"), "D", "though the review of B asks for changes");
        assert_eq!(work("old"), "D", "a part of it");
    }

    #[test]
    fn a_story_that_cannot_be_worked_on_is_refused_with_the_reason() {
        let (why, hint) = words("X", &[]);
        assert_eq!(why, "there is no story X in ralph/tasks.json");
        assert!(hint.contains("ralph-loop status"), "{hint}");
        assert_eq!(words("A", &[]).0, "story A is done already");
        let waits = ("story C waits for B", "begin with `ralph-loop run --story=B`");
        assert_eq!(words("C", &[]), (waits.0.into(), waits.1.into()));
        let (why, hint) = words("B", &["B"]);
        assert_eq!(why, "story B was set aside as failed");
        assert!(hint.contains("--story=B --fresh"), "{hint}");
    }
}
