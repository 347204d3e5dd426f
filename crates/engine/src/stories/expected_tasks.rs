//! The task list that stands: the one that was judged last. Between two iterations no session runs, so a
//! list that differs then was changed by the user, or by a process that outlived its session. The runner
//! cannot find out which, so only priorities, notes and new stories are taken over.

use std::rc::Rc;

use bounded_read::read_file;
use project::LARGEST_TASK_LIST;
use tasks::{ReviewFields, ReviewPolicy, Sha256Digest, StoryId, TaskList};

use crate::stories::judged_list::{JudgedList, Unjudged, judged_list};
use crate::stories::recover::BEGIN_WITHOUT_STATE;
use crate::stories::run::Run;
use crate::stories::task_text::TaskText;
use crate::{LoopEvent, RunError};

impl Run<'_> {
    pub(crate) fn expected_tasks(&mut self) -> Result<Rc<TaskText>, RunError> {
        let standing = match self.judged.clone() {
            None => TaskText::read(self.layout)?,
            Some(judged) => {
                let found = read_file(&self.layout.tasks(), LARGEST_TASK_LIST).unwrap_or_default();
                if found == judged.text.as_bytes() {
                    return Ok(judged);
                }
                self.correct_in_between(&judged, &found)?
            }
        };
        Ok(self.expect_tasks(standing))
    }

    /// From now on `list` is the one that was judged last.
    pub(crate) fn expect_tasks(&mut self, list: TaskText) -> Rc<TaskText> {
        self.state.judged = Some(Sha256Digest::of(&list.text));
        let list = Rc::new(list);
        self.judged = Some(Rc::clone(&list));
        list
    }

    pub(crate) fn expect_tasks_text(&mut self, text: &str) -> Result<(), RunError> {
        self.expect_tasks(TaskText::accepted(self.layout, text.as_bytes())?);
        Ok(())
    }

    /// A session that worked after its story was judged, for the commit or on the quality, may have changed
    /// the list before its runner was killed.
    pub(crate) fn expect_judged_tasks(&mut self) -> Result<(), RunError> {
        if self.state.settings_before.is_none() {
            return Ok(());
        }
        if let JudgedList::Unjudged(Unjudged { before, .. }) = judged_list(self.layout) {
            let before = before.ok_or_else(|| {
                let what = "a session was cut off, and the task list that it began with is gone";
                RunError::precondition(what, BEGIN_WITHOUT_STATE)
            })?;
            self.expect_tasks(TaskText::accepted(self.layout, &before)?);
            self.expected_tasks()?;
        }
        Ok(())
    }

    fn correct_in_between(
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
        let standing = TaskText::accepted(self.layout, text.as_bytes())?;
        if text.as_bytes() == found {
            self.sink.warn(format!("{name} was edited between two iterations"));
            return Ok(standing);
        }
        self.replace_task_list(&text)?;
        let message = format!("ralph: undo what was done to {name} between two iterations");
        let commit = self.commit_own(std::slice::from_ref(&name), &message)?;
        self.sink.emit(LoopEvent::ChangesReverted {
            findings: vec![format!(
                "{name} was changed between two iterations, while no session ran; stop the loop to \
                 change more than priorities and notes, or to do more than add stories"
            )],
            corrections: correction.undone.iter().map(ToString::to_string).collect(),
            commit: commit.map(|commit| commit.to_string()),
        });
        Ok(standing)
    }
}

/// Without reviews there is only `passes`, and no check has spoken in between.
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
    fn what_passes_all_of_a_sudden_does_not() {
        let judged = parsed(&list([true, false]));
        let left = without_new_passes(&judged, list([true, true]));
        assert_eq!(left, list([true, false]));
        assert_eq!(without_new_passes(&judged, list([false, false])), list([false, false]));
    }
}
