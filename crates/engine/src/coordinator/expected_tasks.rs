//! The expected task list: the one that was judged last. No session runs between two iterations, so a different
//! list was edited by the user or by a process that outlived its session. The runner cannot know which, so it
//! accepts only changed priorities, changed notes and new stories.

use std::sync::Arc;

use bounded_read::read_file;
use events::LoopEvent;
use project::LARGEST_TASK_LIST;
use tasks::{ReviewFields, ReviewPolicy, Sha256Digest, StoryId, TaskList};

use crate::RunError;
use crate::coordinator::core::Coordinator;
use crate::coordinator::judged_list::{JudgedList, UnjudgedList, judged_list};
use crate::coordinator::recover::REMOVE_STATE_HINT;
use crate::lane::TaskText;

impl Coordinator<'_> {
    pub(crate) fn expected_tasks(&mut self) -> Result<Arc<TaskText>, RunError> {
        let expected = match self.judged.clone() {
            None => TaskText::read(self.layout)?,
            Some(judged) => {
                let found = read_file(&self.layout.tasks(), LARGEST_TASK_LIST).unwrap_or_default();
                if found == judged.text.as_bytes() {
                    return Ok(judged);
                }
                self.correct_edited_list(&judged, &found)?
            }
        };
        Ok(self.expect_tasks(expected))
    }

    pub(crate) fn expect_tasks(&mut self, list: TaskText) -> Arc<TaskText> {
        self.lane_state.judged = Some(Sha256Digest::of(&list.text));
        let list = Arc::new(list);
        self.judged = Some(Arc::clone(&list));
        list
    }

    pub(crate) fn expect_tasks_text(&mut self, text: &str) -> Result<(), RunError> {
        self.expect_tasks(TaskText::accepted(self.layout, text.as_bytes())?);
        Ok(())
    }

    /// Restores the list if a session that ran after the judgement (commit message, quality) may have changed
    /// it before its runner was killed.
    pub(crate) fn expect_judged_tasks(&mut self) -> Result<(), RunError> {
        if self.lane_state.settings_before.is_none() {
            return Ok(());
        }
        if let JudgedList::Unjudged(UnjudgedList { before, .. }) = judged_list(self.layout) {
            let before = before.ok_or_else(|| {
                let what = "a session was interrupted, and the task list from before it is lost";
                RunError::precondition(what, REMOVE_STATE_HINT)
            })?;
            self.expect_tasks(TaskText::accepted(self.layout, &before)?);
            self.expected_tasks()?;
        }
        Ok(())
    }

    fn correct_edited_list(
        &mut self,
        judged: &TaskText,
        found: &[u8],
    ) -> Result<TaskText, RunError> {
        let name = self.layout.tasks_name();
        let review = self.options.rules();
        let correction = match review {
            ReviewPolicy::Skipped => tasks::correct(&judged.text, found, None),
            ReviewPolicy::Required { cap } => {
                tasks::correct_without_session(&judged.text, found, cap)
            }
        };
        let text = match review {
            ReviewPolicy::Required { .. } => correction.text,
            ReviewPolicy::Skipped => without_new_passes(&judged.list, correction.text),
        };
        let expected = TaskText::accepted(self.layout, text.as_bytes())?;
        if text.as_bytes() == found {
            self.control.sink.warn(format!("{name} was edited between two iterations"));
            return Ok(expected);
        }
        self.lane.workspace.replace_task_list(&text)?;
        let message = format!("ralph: revert changes to {name} between two iterations");
        let commit = self.lane.workspace.commit_own(std::slice::from_ref(&name), &message)?;
        self.control.sink.emit(LoopEvent::ChangesReverted(events::RevertedChanges {
            findings: vec![format!(
                "{name} was changed between two iterations, while no session ran; only new stories, \
                 priorities and notes are accepted then, so stop the loop for other changes"
            )],
            corrections: correction.undone.iter().map(ToString::to_string).collect(),
            commit: commit.map(|commit| commit.to_string()),
        }));
        Ok(expected)
    }
}

/// Without reviews only `passes` decides, and no check ran between two iterations.
fn without_new_passes(judged: &TaskList, text: String) -> String {
    let Some(list) = tasks::inspect(text.as_bytes()).list else { return text };
    let before = |id: &StoryId| judged.story(id).map_or_else(ReviewFields::fresh, ReviewFields::of);
    let new = list.stories.iter().filter(|story| story.passes && !before(&story.id).state.passes);
    new.fold(text, |text, story| {
        tasks::with_review_fields(&text, &story.id, &before(&story.id)).unwrap_or(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(passes: [bool; 2]) -> String {
        let story = |id: &str, passes: bool| {
            format!(
                r#"{{"id":"{id}","title":"t","acceptanceCriteria":["c"],"priority":1,"passes":{passes},
                "reviewStatus":null,"reviewCount":0,"reviewFeedback":"","notes":"n"}}"#
            )
        };
        format!(
            r#"{{"project":"p","branchName":"b","description":"d","userStories":[{},{}]}}"#,
            story("US-1", passes[0]),
            story("US-2", passes[1])
        )
    }

    fn parsed(text: &str) -> TaskList {
        tasks::inspect(text.as_bytes()).list.unwrap()
    }

    #[test]
    fn a_story_that_passes_without_a_check_is_reverted() {
        let judged = parsed(&list([true, false]));
        let left = without_new_passes(&judged, list([true, true]));
        assert_eq!(left, list([true, false]));
        assert_eq!(without_new_passes(&judged, list([false, false])), list([false, false]));
    }
}
