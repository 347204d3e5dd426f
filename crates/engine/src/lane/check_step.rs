//! Decides with the project's checks whether the new statuses of an iteration are accepted.

use std::time::Duration;

use tasks::{Mode, ReviewFields, ReviewStatus};

use crate::RunError;
use crate::checks::FailedGuardrail;
use crate::control::{RunControl, Step};
use crate::lane::checks::{CheckReport, ChecksResult};
use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
use crate::lane::proof::GreenResult;
use crate::lane::recorded::TakeBackReason;
use crate::lane::settlement::{SettledStep, Settlement};
use crate::lane::story_context::StoryContext;
use crate::lane::story_record::IterationFailure;
use crate::lane::take_back::{StatusChange, StatusesTakenBack};
use crate::lane::task_text::TaskText;

/// Lines of a failed check in the review feedback.
const FEEDBACK_LINES: usize = 40;

const SKIPPED: &str = "the user skipped the story before its checks finished";

impl Lane<'_> {
    /// Accepts the new statuses if the checks pass.
    pub(super) fn check_step(
        &mut self,
        iteration: &Iteration,
        after: TaskText,
        changes: Vec<StatusChange>,
        context: &StoryContext,
        control: &mut RunControl<'_>,
    ) -> Result<Settlement, RunError> {
        let story = &iteration.assignment.story;
        let is_skipped =
            |control: &RunControl<'_>| context.is_skipped || control.orders.skips(story);
        let report = if is_skipped(control) {
            None
        } else {
            // The other stories are done elsewhere; the merge of the work checks whether it is the last one.
            let is_last =
                self.options.run.lane.is_none() && context.is_last_open(story, &after.list);
            let since = context.began().filter(|_| !is_last);
            let plan =
                self.check_plan(&after.list, since, context.known_failures(iteration.story()));
            let (story, text) = (Some(story.clone()), &after.text);
            Some(self.run_checks(control, story, &plan, text, &iteration.folder)?)
        };
        let (result, tolerated, passed, check_time) = match report {
            Some(CheckReport { result, tolerated, passed, elapsed }) => {
                (result, Some(tolerated), passed, elapsed)
            }
            None => (ChecksResult::Interrupted, None, Vec::new(), Duration::ZERO),
        };
        let reason = TakeBackReason::Checks;
        let unchanged = |changes| StatusesTakenBack::to_before(&after, changes, reason);
        let settlement = match result {
            ChecksResult::Passed => {
                let (proof, proof_time) =
                    match self.green_step(iteration, &after.text, context, control)? {
                        GreenResult::NoProof => (None, Duration::ZERO),
                        GreenResult::Passed(proof, elapsed) => (Some(proof), elapsed),
                        GreenResult::Failed(problems, elapsed) => {
                            let settled = self.without_green(iteration, &after, changes, &problems);
                            let check_time = check_time + elapsed;
                            return Ok(Settlement { tolerated, passed, check_time, ..settled });
                        }
                        GreenResult::Interrupted => {
                            return Ok(Settlement::of(SettledStep::Unfinished));
                        }
                    };
                let settled = self.with_panel(iteration, after, changes, context, control)?;
                let check_time = check_time + proof_time;
                return Ok(Settlement { tolerated, passed, check_time, proof, ..settled });
            }
            ChecksResult::Interrupted
                if control.switch.requested().is_none() && is_skipped(control) =>
            {
                let failure =
                    IterationFailure { other: Some(SKIPPED.into()), ..Default::default() };
                Settlement::taken_back(SettledStep::Skipped, failure, unchanged(changes))
            }
            ChecksResult::Interrupted => Settlement::of(SettledStep::Unfinished),
            ChecksResult::Failed(failed) => {
                let back = |old: &ReviewFields| without_step(old, iteration, &failed);
                let taken_back = StatusesTakenBack::new(&after, changes, back, reason);
                let failure = IterationFailure { guardrails: failed, ..Default::default() };
                let result = SettledStep::Step(Step::ChecksFailed);
                Settlement::taken_back(result, failure, taken_back)
            }
            ChecksResult::ForbiddenChanges(findings) => {
                let failure = IterationFailure { findings, ..Default::default() };
                let result = SettledStep::Step(Step::Undone);
                Settlement::taken_back(result, failure, unchanged(changes))
            }
        };
        Ok(Settlement { tolerated, passed, check_time, ..settlement })
    }

    /// The tests of the proof do not pass: the status is not accepted.
    fn without_green(
        &self,
        iteration: &Iteration,
        after: &TaskText,
        changes: Vec<StatusChange>,
        problems: &[String],
    ) -> Settlement {
        let lines: Vec<String> = problems.iter().map(|problem| format!("- {problem}")).collect();
        let text = format!("The tests of the story's proof do not all pass:\n{}", lines.join("\n"));
        let back = |old: &ReviewFields| {
            let mut fields = old.clone();
            if iteration.assignment.mode == Mode::Review {
                fields.state.review_status = ReviewStatus::ChangesRequested;
                fields.feedback = format!("[PROOF FAILED] A review approved this story. {text}");
            }
            fields
        };
        let taken_back = StatusesTakenBack::new(after, changes, back, TakeBackReason::Checks);
        let failure = IterationFailure { other: Some(text.clone()), ..Default::default() };
        Settlement::taken_back(SettledStep::Step(Step::ChecksFailed), failure, taken_back)
    }
}

/// The fields of a story whose checks failed: those from before. After an approving review the story is to be fixed,
/// because another review would approve it again.
fn without_step(
    before: &ReviewFields,
    iteration: &Iteration,
    failed: &[FailedGuardrail],
) -> ReviewFields {
    let mut fields = before.clone();
    if iteration.assignment.mode == Mode::Review {
        fields.state.review_status = ReviewStatus::ChangesRequested;
        let feedback = failed.iter().map(|failed| {
            let skipped = failed.tail.len().saturating_sub(FEEDBACK_LINES);
            format!(
                "[CHECKS FAILED] A review approved this story, but the runner ran `{}`, and it \
                 {}:\n{}",
                failed.command,
                failed.how,
                failed.tail[skipped..].join("\n")
            )
        });
        fields.feedback = feedback.collect::<Vec<_>>().join("\n\n");
    }
    fields
}
