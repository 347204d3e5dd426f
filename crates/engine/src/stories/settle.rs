//! What becomes of an iteration once its agent has ended: work is kept, what was not allowed is
//! undone, a step of the story is checked, and only then it stands.
//!
//! Every part can be done again: a runner that is killed in here leaves it to the next one.

use tasks::{Mode, ReviewFields, ReviewPolicy, ReviewStatus, ReviewVerdict, Story, TaskList};
use verify::{Finding, Judgement, Questions};

use crate::decide::Step;
use crate::failed_guardrail::FailedGuardrail;
use crate::options::Guardrail;
use crate::run_files::deadline;
use crate::stories::gates::Gates;
use crate::stories::iteration::Iteration;
use crate::stories::run::Run;
use crate::stories::state::TakenBackFor;
use crate::stories::story_record::{Failure, TakenBack};
use crate::stories::task_text::TaskText;
use crate::stories::verdict::{VoidVerdict, message_verdict};
use crate::{AgentOutcome, LoopEvent, RunError};

/// Lines of a failed check that become review feedback.
const FEEDBACK_LINES: usize = 40;

const SKIPPED: &str = "the user skipped the story before its checks had spoken";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Settled {
    Step(Step),
    /// The user wants nothing more of the story: its step was not checked and does not stand.
    Skipped,
    /// The user stopped the run before the checks had spoken; the next run goes on here.
    Unfinished,
}

/// What is known of a session that has ended, apart from what it left on disk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionEnd {
    pub(crate) outcome: AgentOutcome,
    /// What the final message of a review says.
    pub(crate) verdict: Option<ReviewVerdict>,
}

pub(crate) fn no_commit() -> RunError {
    RunError::precondition("the repository has no commit any more", "see `git reflog`")
}

impl Run<'_> {
    /// Afterwards the list on disk is the one that stands.
    pub(crate) fn settle(
        &mut self,
        iteration: &Iteration,
        end: SessionEnd,
    ) -> Result<Settled, RunError> {
        self.judged = None;
        let settled = match self.settle_step(iteration, end) {
            Err(_) if self.own_everything_again() => self.settle_step(iteration, end)?,
            settled => settled?,
        };
        if let Some(judged) = self.judged.clone() {
            self.report_dependency_changes(iteration, &judged.list);
        }
        Ok(settled)
    }

    /// They are allowed, and can make a story wait for one that never passes.
    fn report_dependency_changes(&mut self, iteration: &Iteration, after: &TaskList) {
        for change in tasks::dependency_changes(&iteration.before.list, after) {
            self.sink.warn(format!("{} changed {change}", iteration.label()));
        }
    }

    fn settle_step(&mut self, iteration: &Iteration, end: SessionEnd) -> Result<Settled, RunError> {
        self.keep_run_files(iteration)?;
        let mut changed = self.restore_repository(iteration)?;
        self.free_git()?;
        self.keep_list_folder(iteration)?;
        let hidden = self.look_at_everything()?;
        let (mut dirty, compared) = self.keep_branch(iteration)?;
        // What was hidden is no work: it goes back to what is committed.
        dirty.retain(|dirty| !hidden.contains(&dirty.path));
        self.keep_work(iteration, dirty)?;
        self.keep_history(iteration)?;
        changed.extend(hidden.into_changes());
        changed.extend(self.prove_work(iteration, compared)?);
        self.keep_handoff(iteration)?;
        let mut judgement = self.judge(iteration, end)?;
        judgement.findings.extend(changed.into_iter().map(Finding::Repository));
        self.leave_out(iteration, &mut judgement)?;
        let offences: Vec<&Finding> = judgement.findings.iter().filter(is_offence).collect();
        if !offences.is_empty() {
            self.undo(iteration, &judgement, &offences)?;
            return Ok(Settled::Step(Step::Undone));
        }
        let judged = judgement.task_list.as_deref().unwrap_or_default();
        let after = TaskText::accepted(self.layout, judged)?;
        let after = self.with_own_checks(iteration, after)?;
        self.report_new_stories(&iteration.before.list, &after.list);
        if let Some(void) = VoidVerdict::of(&judgement, end) {
            return Ok(Settled::Step(self.void_verdict(iteration, &after, void, end)?));
        }
        let moves = moves(&iteration.before.list, &after.list);
        if moves.is_empty() {
            let is_split = after.list.story(&iteration.assignment.story).is_none();
            self.expect_tasks(after);
            return Ok(Settled::Step(if is_split { Step::Accepted } else { Step::None }));
        }
        if moves.iter().any(|step| claims_to_work(step.new, iteration.review())) {
            let (story, checks) = (&iteration.assignment.story, TakenBackFor::Checks);
            let gates = if self.is_skipped(story) {
                Gates::Interrupted
            } else {
                let guardrails = self.guardrails(&after.list);
                let judged = self.gates(&guardrails, &after.text, &iteration.folder)?;
                self.state.story(story).tolerated = judged.tolerated;
                judged.gates
            };
            match gates {
                Gates::Passed => {}
                Gates::Interrupted if self.switch.heard().is_none() && self.is_skipped(story) => {
                    let failure = Failure { other: Some(SKIPPED.into()), ..Failure::default() };
                    self.take_back(
                        iteration,
                        &after,
                        &moves,
                        ReviewFields::clone,
                        failure,
                        checks,
                    )?;
                    return Ok(Settled::Skipped);
                }
                Gates::Interrupted => return Ok(Settled::Unfinished),
                Gates::Failed(failed) => {
                    let back = |old: &ReviewFields| without_step(old, iteration, &failed);
                    let failure = Failure { guardrails: failed.clone(), ..Failure::default() };
                    self.take_back(iteration, &after, &moves, back, failure, checks)?;
                    return Ok(Settled::Step(Step::GatesFailed));
                }
                Gates::Meddled(findings) => {
                    let failure = Failure { findings: findings.clone(), ..Failure::default() };
                    self.take_back(
                        iteration,
                        &after,
                        &moves,
                        ReviewFields::clone,
                        failure,
                        checks,
                    )?;
                    let corrections = vec!["everything is as it was before the checks".into()];
                    self.sink.emit(LoopEvent::ChangesReverted {
                        findings,
                        corrections,
                        commit: None,
                    });
                    return Ok(Settled::Step(Step::Undone));
                }
            }
        }
        for step in &moves {
            self.sink.emit(moved(&step.old, step.new));
        }
        drop(moves);
        self.expect_tasks(after);
        Ok(Settled::Step(Step::Accepted))
    }

    /// Without reviews a session may change every field but the checks, which alone decide then.
    fn with_own_checks(
        &mut self,
        iteration: &Iteration,
        after: TaskText,
    ) -> Result<TaskText, RunError> {
        if after.list.verify_commands == iteration.before.list.verify_commands {
            return Ok(after);
        }
        self.sink.warn(format!("{} changed verifyCommands; restored", iteration.label()));
        let text = iteration.corrected(after.text.as_bytes()).text;
        self.replace_task_list(&text)?;
        let message = format!("ralph: restore the checks that {} changed", iteration.label());
        self.commit_own(&[self.layout.tasks_name()], &message)?;
        TaskText::parse(text.as_bytes()).map_err(|problems| RunError::InvalidTaskList {
            path: self.layout.tasks_name(),
            problems,
        })
    }

    /// The list's checks, then the settings'.
    fn guardrails(&self, list: &TaskList) -> Vec<Guardrail> {
        let of_list = list.verify_commands.iter().map(Guardrail::of_command);
        of_list.chain(self.options.run.guardrails.iter().cloned()).collect()
    }

    fn judge(&mut self, iteration: &Iteration, end: SessionEnd) -> Result<Judgement, RunError> {
        // Everything is committed by now.
        let questions = Questions::about_commits(&self.tree);
        let message = message_verdict(iteration, end);
        let mut judgement =
            verify::everything(self.layout, &iteration.marker, questions, message, deadline());
        if let Some(tampering) = iteration.tampering(self.layout) {
            judgement.findings.insert(0, Finding::Tampered(tampering));
        }
        // The hook lets go where it cannot see; the runner has the last word and must see.
        if let Some(warning) = judgement.warnings.first() {
            return Err(RunError::precondition(
                format!("{} cannot be judged: {warning}", iteration.label()),
                "see what is wrong with git here; the next run judges it",
            ));
        }
        Ok(judgement)
    }

    /// The step does not stand: each story goes where `back` says. What the next prompt has to say,
    /// and where the stories go, is on disk before the list is touched, because then nothing is left
    /// to be found.
    pub(crate) fn take_back(
        &mut self,
        iteration: &Iteration,
        after: &TaskText,
        moves: &[Move<'_>],
        back: impl Fn(&ReviewFields) -> ReviewFields,
        failure: Failure,
        why: TakenBackFor,
    ) -> Result<(), RunError> {
        let taken_back: Vec<TakenBack> =
            moves.iter().map(|step| TakenBack::new(&step.new.id, back(&step.old))).collect();
        if let Some(running) = &mut self.state.running {
            running.taken_back = taken_back.clone();
            running.taken_back_for = why;
        }
        self.fail(iteration, failure)?;
        for (step, taken) in moves.iter().zip(&taken_back) {
            if taken.state != step.old.state {
                let now = Story {
                    review_status: taken.state.review_status,
                    review_count: taken.state.review_count,
                    review_feedback: taken.feedback.clone(),
                    ..step.new.clone()
                };
                self.sink.emit(moved(&step.old, &now));
            }
        }
        self.apply_taken_back(iteration, after.text.clone(), &taken_back)
    }

    /// `text` is the list as it was judged; what lies on the disk may be another by now. Can be done
    /// again.
    pub(crate) fn apply_taken_back(
        &mut self,
        iteration: &Iteration,
        mut text: String,
        taken_back: &[TakenBack],
    ) -> Result<(), RunError> {
        for taken in taken_back {
            text = tasks::with_review_fields(&text, &taken.story, &taken.fields())
                .map_err(|error| RunError::Precondition { what: error.to_string(), hint: None })?;
        }
        self.replace_task_list(&text)?;
        self.expect_tasks_text(&text)?;
        let message = format!("ralph: take back the step of {}", iteration.label());
        self.commit_own(&[self.layout.tasks_name()], &message)?;
        Ok(())
    }

    /// Remembers what was wrong, for the next prompt.
    pub(crate) fn fail(&mut self, iteration: &Iteration, failure: Failure) -> Result<(), RunError> {
        let assignment = &iteration.assignment;
        let record = self.state.story(&assignment.story);
        record.failure = Some(Failure {
            iteration: assignment.iteration,
            mode: Some(assignment.mode),
            story: Some(assignment.story.clone()),
            ..failure
        });
        self.state.save(self.layout)?;
        Ok(())
    }

    /// The stories that came, and those that left.
    pub(crate) fn report_new_stories(&mut self, before: &TaskList, after: &TaskList) {
        for story in after.stories.iter().filter(|story| before.story(&story.id).is_none()) {
            let brief = self.brief(story);
            self.sink.emit(LoopEvent::StoryAdded { story: brief });
        }
        for gone in before.stories.iter().filter(|story| after.story(&story.id).is_none()) {
            let (id, criteria) = (&gone.id, gone.acceptance_criteria.len());
            self.sink.warn(match self.options.rules() {
                ReviewPolicy::Required { .. } => {
                    format!("{id} was split; new stories repeat its {criteria} criteria")
                }
                ReviewPolicy::Skipped => {
                    format!("{id} left the list, and its {criteria} criteria with it")
                }
            });
        }
    }
}

/// Work that is not committed is no offence here: it has been kept. Nor is a missing verdict: the
/// review is repeated.
fn is_offence(finding: &&Finding) -> bool {
    !matches!(finding, Finding::Uncommitted(_) | Finding::NoVerdict { .. })
}

/// A story whose review fields are not what they were when the iteration began.
pub(crate) struct Move<'a> {
    pub(crate) old: ReviewFields,
    pub(crate) new: &'a Story,
}

fn moves<'a>(before: &TaskList, after: &'a TaskList) -> Vec<Move<'a>> {
    let fields =
        |story: &Story| before.story(&story.id).map_or_else(ReviewFields::fresh, ReviewFields::of);
    let all = after.stories.iter().map(|new| Move { old: fields(new), new });
    all.filter(|step| step.old.state != step.new.state()).collect()
}

/// Whether the story's new state says that its code works.
fn claims_to_work(new: &Story, review: ReviewPolicy) -> bool {
    match review {
        ReviewPolicy::Skipped => new.passes,
        ReviewPolicy::Required { .. } => {
            matches!(new.review_status, ReviewStatus::NeedsReview | ReviewStatus::Approved)
        }
    }
}

/// Where a story goes whose step did not pass the gates: back, or, after a review that approved it,
/// to be fixed, because another review could only say the same.
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
                "[CHECKS FAILED] A review approved this, but the runner ran `{}` on it, and it \
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

fn moved(old: &ReviewFields, new: &Story) -> LoopEvent {
    LoopEvent::StoryStatusChanged {
        story: new.id.clone(),
        from: old.state.review_status,
        to: new.review_status,
        reviews: new.review_count,
        feedback: new.review_feedback.clone(),
        passes: new.passes,
    }
}
