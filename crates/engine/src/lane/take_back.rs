//! Takes back new statuses of stories, because checks failed or a verdict is void.

use events::LoopEvent;
use tasks::{ReviewFields, ReviewStatus, Story, StoryState, TaskList};

use crate::RunError;
use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
use crate::lane::recorded::TakeBackReason;
use crate::lane::story_record::SavedReviewFields;
use crate::lane::task_text::TaskText;

/// A story whose review fields changed during the iteration.
#[derive(Debug, Clone)]
pub(crate) struct StatusChange {
    pub(crate) old: ReviewFields,
    pub(crate) new: Story,
}

/// Statuses that are not accepted, and the fields that the stories get instead.
#[derive(Debug)]
pub(crate) struct StatusesTakenBack {
    /// The judged list; the file may differ by now.
    text: String,
    changes: Vec<StatusChange>,
    pub(crate) fields: Vec<SavedReviewFields>,
    pub(crate) reason: TakeBackReason,
}

impl StatusesTakenBack {
    /// Each story gets the fields that `back` returns.
    pub(crate) fn new(
        after: &TaskText,
        changes: Vec<StatusChange>,
        back: impl Fn(&ReviewFields) -> ReviewFields,
        reason: TakeBackReason,
    ) -> Self {
        let fields = changes
            .iter()
            .map(|step| SavedReviewFields::new(&step.new.id, back(&step.old)))
            .collect();
        Self { text: after.text.clone(), changes, fields, reason }
    }

    /// Each story gets the fields from before the iteration.
    pub(crate) fn to_before(
        after: &TaskText,
        changes: Vec<StatusChange>,
        reason: TakeBackReason,
    ) -> Self {
        Self::new(after, changes, ReviewFields::clone, reason)
    }
}

/// Whether the fields are those from before the iteration, or request changes. A session could have written others
/// into `state.json`.
pub(crate) fn claims_nothing(taken: &SavedReviewFields, before: &TaskList) -> bool {
    let old = before.story(&taken.story).map_or_else(ReviewFields::fresh, ReviewFields::of).state;
    let rejected = StoryState { review_status: ReviewStatus::ChangesRequested, ..old };
    taken.state == old || taken.state == rejected
}

impl Lane<'_> {
    pub(crate) fn take_back(
        &mut self,
        iteration: &Iteration,
        taken_back: &StatusesTakenBack,
    ) -> Result<TaskText, RunError> {
        for (step, taken) in taken_back.changes.iter().zip(&taken_back.fields) {
            if taken.state != step.old.state {
                let now = Story {
                    passes: taken.state.passes,
                    review_status: taken.state.review_status,
                    review_count: taken.state.review_count,
                    review_feedback: taken.feedback.clone(),
                    ..step.new.clone()
                };
                self.sink.emit(status_event(&step.old, &now));
            }
        }
        self.apply_taken_back(iteration, taken_back.text.clone(), &taken_back.fields)
    }

    /// Writes the fields into `text`, the judged list. Can be repeated.
    pub(crate) fn apply_taken_back(
        &mut self,
        iteration: &Iteration,
        mut text: String,
        taken_back: &[SavedReviewFields],
    ) -> Result<TaskText, RunError> {
        for taken in taken_back {
            text = tasks::with_review_fields(&text, &taken.story, &taken.fields())
                .map_err(|error| RunError::Precondition { what: error.to_string(), hint: None })?;
        }
        self.workspace.replace_task_list(&text)?;
        let list = TaskText::accepted(self.layout, text.as_bytes())?;
        let message = format!("ralph: take back the status change of {}", iteration.label());
        self.workspace.commit_own(&[self.layout.tasks_name()], &message)?;
        Ok(list)
    }
}

pub(crate) fn status_event(old: &ReviewFields, new: &Story) -> LoopEvent {
    LoopEvent::StoryStatusChanged {
        story: new.id.clone(),
        from: old.state.review_status,
        to: new.review_status,
        reviews: new.review_count,
        feedback: new.review_feedback.clone(),
        passes: new.passes,
    }
}
