//! Settles an iteration after its agent has ended: keeps the work, reverts what is not allowed, and checks the
//! story's new status before it is accepted.
//!
//! Every step can be repeated, so the next runner can finish what a killed runner began.

use std::time::Duration;

use events::{AgentOutcome, LoopEvent};
use serde_json::Value;
use tasks::{Mode, ReviewFields, ReviewPolicy, ReviewStatus, ReviewVerdict, Story, TaskList};
use verify::{Finding, GitQuestions, Judgement, RepositoryChange};

use crate::RunError;
use crate::decide::Step;
use crate::failed_guardrail::FailedGuardrail;
use crate::options::Guardrail;
use crate::run_files::{self, deadline};
use crate::stories::checks::ChecksResult;
use crate::stories::handoff::SessionHandoff;
use crate::stories::iteration::Iteration;
use crate::stories::run::Run;
use crate::stories::state::TakeBackReason;
use crate::stories::story_record::{IterationFailure, SavedReviewFields};
use crate::stories::task_text::TaskText;
use crate::stories::verdict::{VoidVerdict, message_verdict};

/// Lines of a failed check in the review feedback.
const FEEDBACK_LINES: usize = 40;

const SKIPPED: &str = "the user skipped the story before its checks finished";

/// What an iteration came to.
#[derive(Debug)]
pub(crate) struct Settlement {
    pub(crate) result: SettledStep,
    pub(crate) check_time: Duration,
    /// The plan changes that the handoff asks for.
    pub(crate) amendments: Vec<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettledStep {
    Step(Step),
    /// The user skipped the story: its new status was not checked and is taken back.
    Skipped,
    /// The user stopped the run before the checks finished; the next run continues here.
    Unfinished,
}

impl SettledStep {
    /// The step and outcome that count; `None` if the iteration is not judged yet.
    pub(crate) fn judged(self, outcome: AgentOutcome) -> Option<(Step, AgentOutcome)> {
        match self {
            Self::Step(step) => Some((step, outcome)),
            Self::Skipped => Some((Step::None, AgentOutcome::Stopped)),
            Self::Unfinished => None,
        }
    }
}

/// What is known about an ended session, apart from the files that it left.
#[derive(Debug)]
pub(crate) struct SessionEnd {
    pub(crate) outcome: AgentOutcome,
    /// The verdict in a review's final message.
    pub(crate) verdict: Option<ReviewVerdict>,
    /// The handoff in its final message; empty without memory, or after a killed runner.
    pub(crate) handoff: SessionHandoff,
}

impl Run<'_> {
    /// Afterwards the list on disk is the expected one.
    pub(crate) fn settle(
        &mut self,
        iteration: &Iteration,
        end: &SessionEnd,
    ) -> Result<Settlement, RunError> {
        self.judged = None;
        let settled = match self.settle_step(iteration, end) {
            Err(_) if self.workspace.restore_all_permissions() => {
                self.settle_step(iteration, end)?
            }
            settled => settled?,
        };
        if let Some(judged) = self.judged.clone() {
            self.report_dependency_changes(iteration, &judged.list);
        }
        Ok(settled)
    }

    /// Recreates the runner's folder and lock if the agent removed them.
    pub(crate) fn keep_run_files(&mut self, iteration: &Iteration) -> Result<(), RunError> {
        run_files::make_folder(&iteration.folder, self.layout)?;
        run_files::keep_lock(&mut self.control.lock, self.layout, &self.control.sink)
    }

    /// Dependency changes are allowed, but can make a story wait forever.
    fn report_dependency_changes(&mut self, iteration: &Iteration, after: &TaskList) {
        for change in tasks::dependency_changes(&iteration.before.list, after) {
            self.control.sink.warn(format!("{} changed {change}", iteration.label()));
        }
    }

    fn settle_step(
        &mut self,
        iteration: &Iteration,
        end: &SessionEnd,
    ) -> Result<Settlement, RunError> {
        self.keep_run_files(iteration)?;
        let mut changed = self.workspace.restore_repository(&iteration.work())?;
        self.workspace.remove_stale_git_locks()?;
        self.workspace.keep_list_folder(&iteration.work())?;
        let hidden = self.workspace.unhide_files()?;
        let (mut dirty, compared) = self.workspace.keep_branch(&iteration.work())?;
        // Hidden files are not work: they are restored from the commit.
        dirty.retain(|dirty| !hidden.contains(&dirty.path));
        self.workspace.keep_work(&iteration.work(), dirty)?;
        self.workspace.keep_history(&iteration.work())?;
        changed.extend(hidden.into_changes());
        changed.extend(self.workspace.prove_work(&iteration.work(), compared)?);
        let amendments = self.keep_handoff(iteration, &end.handoff)?;
        let mut check_time = Duration::ZERO;
        let result = self.judge_step(iteration, end, changed, &mut check_time)?;
        Ok(Settlement { result, check_time, amendments })
    }

    /// Applies the rules to what the session left, then runs the checks if a story claims to work.
    fn judge_step(
        &mut self,
        iteration: &Iteration,
        end: &SessionEnd,
        changed: Vec<RepositoryChange>,
        check_time: &mut Duration,
    ) -> Result<SettledStep, RunError> {
        let mut judgement = self.judge(iteration, end)?;
        judgement.findings.extend(changed.into_iter().map(Finding::Repository));
        self.drop_earlier_files(iteration, &mut judgement)?;
        let offences: Vec<&Finding> = judgement.findings.iter().filter(is_offence).collect();
        if !offences.is_empty() {
            self.revert(iteration, &judgement, &offences)?;
            return Ok(SettledStep::Step(Step::Undone));
        }
        let judged = judgement.task_list.as_deref().unwrap_or_default();
        let after = TaskText::accepted(self.layout, judged)?;
        let after = self.with_own_checks(iteration, after)?;
        self.report_new_stories(&iteration.before.list, &after.list);
        if let Some(void) = VoidVerdict::of(&judgement, end) {
            return Ok(SettledStep::Step(self.void_verdict(iteration, &after, void, end)?));
        }
        let changes = status_changes(&iteration.before.list, &after.list);
        if changes.is_empty() {
            let is_split = after.list.story(&iteration.assignment.story).is_none();
            self.expect_tasks(after);
            return Ok(SettledStep::Step(if is_split { Step::Accepted } else { Step::None }));
        }
        if changes.iter().any(|step| claims_to_work(step.new, iteration.review())) {
            let (story, checks) = (&iteration.assignment.story, TakeBackReason::Checks);
            let result = if self.is_skipped(story) {
                ChecksResult::Interrupted
            } else {
                let guardrails = self.guardrails(&after.list);
                let judged = self.run_checks(&guardrails, &after.text, &iteration.folder)?;
                *check_time = judged.elapsed;
                self.state.story(story).tolerated = judged.tolerated;
                judged.result
            };
            match result {
                ChecksResult::Passed => {}
                ChecksResult::Interrupted
                    if self.control.switch.requested().is_none() && self.is_skipped(story) =>
                {
                    let failure =
                        IterationFailure { other: Some(SKIPPED.into()), ..Default::default() };
                    self.take_back(
                        iteration,
                        &after,
                        &changes,
                        ReviewFields::clone,
                        failure,
                        checks,
                    )?;
                    return Ok(SettledStep::Skipped);
                }
                ChecksResult::Interrupted => return Ok(SettledStep::Unfinished),
                ChecksResult::Failed(failed) => {
                    let back = |old: &ReviewFields| without_step(old, iteration, &failed);
                    let failure =
                        IterationFailure { guardrails: failed.clone(), ..Default::default() };
                    self.take_back(iteration, &after, &changes, back, failure, checks)?;
                    return Ok(SettledStep::Step(Step::ChecksFailed));
                }
                ChecksResult::ForbiddenChanges(findings) => {
                    let failure =
                        IterationFailure { findings: findings.clone(), ..Default::default() };
                    self.take_back(
                        iteration,
                        &after,
                        &changes,
                        ReviewFields::clone,
                        failure,
                        checks,
                    )?;
                    let corrections = vec!["restored the state from before the checks".into()];
                    self.control.sink.emit(LoopEvent::ChangesReverted {
                        findings,
                        corrections,
                        commit: None,
                    });
                    return Ok(SettledStep::Step(Step::Undone));
                }
            }
        }
        for step in &changes {
            self.control.sink.emit(status_event(&step.old, step.new));
        }
        drop(changes);
        self.expect_tasks(after);
        Ok(SettledStep::Step(Step::Accepted))
    }

    /// Without reviews a session may change every field but the checks, which then are the only safeguard.
    fn with_own_checks(
        &mut self,
        iteration: &Iteration,
        after: TaskText,
    ) -> Result<TaskText, RunError> {
        if after.list.verify_commands == iteration.before.list.verify_commands {
            return Ok(after);
        }
        self.control.sink.warn(format!("{} changed verifyCommands; restored", iteration.label()));
        let text = iteration.corrected(after.text.as_bytes()).text;
        self.workspace.replace_task_list(&text)?;
        let message = format!("ralph: restore the checks that {} changed", iteration.label());
        self.workspace.commit_own(&[self.layout.tasks_name()], &message)?;
        TaskText::parse(text.as_bytes()).map_err(|problems| RunError::InvalidTaskList {
            path: self.layout.tasks_name(),
            problems,
        })
    }

    /// The checks of the list, then those of the settings.
    fn guardrails(&self, list: &TaskList) -> Vec<Guardrail> {
        let of_list = list.verify_commands.iter().map(Guardrail::of_command);
        of_list.chain(self.options.run.guardrails.iter().cloned()).collect()
    }

    fn judge(&mut self, iteration: &Iteration, end: &SessionEnd) -> Result<Judgement, RunError> {
        // Everything is committed at this point.
        let questions = GitQuestions::about_commits(&self.workspace.tree);
        let message = message_verdict(iteration, end);
        let mut judgement =
            verify::check_iteration(self.layout, &iteration.marker, questions, message, deadline());
        if let Some(tampering) = iteration.tampering(self.layout) {
            judgement.findings.insert(0, Finding::Tampered(tampering));
        }
        // The Stop hook lets a session end if it cannot judge. The runner decides, so it must be able to judge.
        if let Some(warning) = judgement.warnings.first() {
            return Err(RunError::precondition(
                format!("{} cannot be judged: {warning}", iteration.label()),
                "fix the git problem, then run again: the next run judges the iteration",
            ));
        }
        Ok(judgement)
    }

    /// Takes back the status change: each story gets the fields that `back` returns. These and the failure are on disk
    /// before the list changes, because afterwards they cannot be derived from it.
    pub(crate) fn take_back(
        &mut self,
        iteration: &Iteration,
        after: &TaskText,
        changes: &[StatusChange<'_>],
        back: impl Fn(&ReviewFields) -> ReviewFields,
        failure: IterationFailure,
        why: TakeBackReason,
    ) -> Result<(), RunError> {
        let taken_back: Vec<SavedReviewFields> = changes
            .iter()
            .map(|step| SavedReviewFields::new(&step.new.id, back(&step.old)))
            .collect();
        if let Some(running) = &mut self.state.running {
            running.taken_back = taken_back.clone();
            running.taken_back_for = why;
        }
        self.record_failure(iteration, failure)?;
        for (step, taken) in changes.iter().zip(&taken_back) {
            if taken.state != step.old.state {
                let now = Story {
                    review_status: taken.state.review_status,
                    review_count: taken.state.review_count,
                    review_feedback: taken.feedback.clone(),
                    ..step.new.clone()
                };
                self.control.sink.emit(status_event(&step.old, &now));
            }
        }
        self.apply_taken_back(iteration, after.text.clone(), &taken_back)
    }

    /// `text` is the judged list; the file may differ by now. Can be repeated.
    pub(crate) fn apply_taken_back(
        &mut self,
        iteration: &Iteration,
        mut text: String,
        taken_back: &[SavedReviewFields],
    ) -> Result<(), RunError> {
        for taken in taken_back {
            text = tasks::with_review_fields(&text, &taken.story, &taken.fields())
                .map_err(|error| RunError::Precondition { what: error.to_string(), hint: None })?;
        }
        self.workspace.replace_task_list(&text)?;
        self.expect_tasks_text(&text)?;
        let message = format!("ralph: take back the status change of {}", iteration.label());
        self.workspace.commit_own(&[self.layout.tasks_name()], &message)?;
        Ok(())
    }

    /// Records the failure for the next prompt.
    pub(crate) fn record_failure(
        &mut self,
        iteration: &Iteration,
        failure: IterationFailure,
    ) -> Result<(), RunError> {
        let assignment = &iteration.assignment;
        let record = self.state.story(&assignment.story);
        record.failure = Some(IterationFailure {
            iteration: assignment.iteration,
            mode: Some(assignment.mode),
            story: Some(assignment.story.clone()),
            ..failure
        });
        self.save()?;
        Ok(())
    }

    /// Reports added and removed stories.
    pub(crate) fn report_new_stories(&mut self, before: &TaskList, after: &TaskList) {
        for story in after.stories.iter().filter(|story| before.story(&story.id).is_none()) {
            let brief = self.brief(story);
            self.control.sink.emit(LoopEvent::StoryAdded { story: brief });
        }
        for gone in before.stories.iter().filter(|story| after.story(&story.id).is_none()) {
            let (id, criteria) = (&gone.id, gone.acceptance_criteria.len());
            self.control.sink.warn(match self.options.rules() {
                ReviewPolicy::Required { .. } => {
                    format!("{id} was split; new stories repeat its {criteria} criteria")
                }
                ReviewPolicy::Skipped => {
                    format!("{id} was removed from the list, with its {criteria} criteria")
                }
            });
        }
    }
}

/// Uncommitted work is no offence, because the runner has committed it. A missing verdict only repeats the review.
fn is_offence(finding: &&Finding) -> bool {
    !matches!(finding, Finding::Uncommitted(_) | Finding::NoVerdict { .. })
}

/// A story whose review fields changed during the iteration.
pub(crate) struct StatusChange<'a> {
    pub(crate) old: ReviewFields,
    pub(crate) new: &'a Story,
}

fn status_changes<'a>(before: &TaskList, after: &'a TaskList) -> Vec<StatusChange<'a>> {
    let fields =
        |story: &Story| before.story(&story.id).map_or_else(ReviewFields::fresh, ReviewFields::of);
    let all = after.stories.iter().map(|new| StatusChange { old: fields(new), new });
    all.filter(|step| step.old.state != step.new.state()).collect()
}

/// Whether the story's new state claims that its code works.
fn claims_to_work(new: &Story, review: ReviewPolicy) -> bool {
    match review {
        ReviewPolicy::Skipped => new.passes,
        ReviewPolicy::Required { .. } => {
            matches!(new.review_status, ReviewStatus::NeedsReview | ReviewStatus::Approved)
        }
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

fn status_event(old: &ReviewFields, new: &Story) -> LoopEvent {
    LoopEvent::StoryStatusChanged {
        story: new.id.clone(),
        from: old.state.review_status,
        to: new.review_status,
        reviews: new.review_count,
        feedback: new.review_feedback.clone(),
        passes: new.passes,
    }
}
