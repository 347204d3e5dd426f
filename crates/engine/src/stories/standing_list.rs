//! The task list that stands: the one that was judged last. Between two iterations nobody works for
//! the run, so a list that differs then was changed by the user, or by something that outlived its
//! agent; either way only as far as an iteration without a story could have.

use std::rc::Rc;

use bounded_read::read_file;
use project::LARGEST_TASK_LIST;
use tasks::{Mode, ReviewFields, ReviewPolicy, StoryId, TaskList};

use crate::stories::run::Run;
use crate::stories::task_text::TaskText;
use crate::{LoopEvent, RunError};

impl Run<'_> {
    pub(crate) fn standing_list(&mut self) -> Result<Rc<TaskText>, RunError> {
        let Some(judged) = self.judged.clone() else {
            let list = Rc::new(TaskText::read(self.layout)?);
            self.judged = Some(Rc::clone(&list));
            return Ok(list);
        };
        let found = read_file(&self.layout.tasks(), LARGEST_TASK_LIST).unwrap_or_default();
        if found == judged.text.as_bytes() {
            return Ok(judged);
        }
        let standing = Rc::new(self.correct_in_between(&judged, &found)?);
        self.judged = Some(Rc::clone(&standing));
        Ok(standing)
    }

    fn correct_in_between(
        &mut self,
        judged: &TaskText,
        found: &[u8],
    ) -> Result<TaskText, RunError> {
        let name = self.layout.tasks_name();
        let review = self.options.rules();
        let rules = match review {
            ReviewPolicy::Skipped => None,
            ReviewPolicy::Required { cap } => Some(tasks::Iteration {
                mode: Mode::Implement,
                selected: Some(nobody(&judged.list)),
                review_cap: cap,
            }),
        };
        let correction = tasks::correct(&judged.text, found, rules.as_ref());
        let text = match review {
            ReviewPolicy::Required { .. } => correction.text,
            ReviewPolicy::Skipped => without_new_passes(&judged.list, correction.text),
        };
        let invalid =
            |problems| RunError::InvalidTaskList { path: self.layout.tasks_name(), problems };
        let standing = TaskText::parse(text.as_bytes()).map_err(invalid)?;
        if text.as_bytes() == found {
            self.teller.warn(format!("{name} was edited between two iterations"));
            return Ok(standing);
        }
        self.replace_task_list(&text)?;
        let message = format!("ralph: undo what was done to {name} between two iterations");
        let commit = self.commit_own(std::slice::from_ref(&name), &message)?;
        self.teller.tell(LoopEvent::Undone {
            findings: vec![format!(
                "{name} was changed between two iterations, by nobody who was given a story; stop \
                 the loop to change more than priorities, notes and new stories"
            )],
            corrections: correction.undone.iter().map(ToString::to_string).collect(),
            commit: commit.map(|commit| commit.to_string()),
        });
        Ok(standing)
    }
}

/// A story that is not there, so that none may move.
fn nobody(list: &TaskList) -> StoryId {
    let name = |number| StoryId::new(format!("nobody-{number}")).ok();
    let mut names = (0..=list.stories.len()).filter_map(name);
    let free = names.find(|name| list.story(name).is_none());
    // There is one name more than stories, so one is free.
    free.unwrap_or_else(|| list.stories[0].id.clone())
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
            story("nobody-0", passes[0]),
            story("US-2", passes[1])
        )
    }

    fn parsed(text: &str) -> TaskList {
        tasks::inspect(text.as_bytes()).list.unwrap()
    }

    #[test]
    fn nobody_is_no_story() {
        assert_eq!(nobody(&parsed(&list([false, false]))).as_str(), "nobody-1");
    }

    #[test]
    fn what_passes_all_of_a_sudden_does_not() {
        let judged = parsed(&list([true, false]));
        let left = without_new_passes(&judged, list([true, true]));
        assert_eq!(left, list([true, false]));
        assert_eq!(without_new_passes(&judged, list([false, false])), list([false, false]));
    }
}
