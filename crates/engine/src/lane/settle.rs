//! Settles an iteration after its agent has ended: keeps the work, reverts what is not allowed, and checks the
//! story's new status before it is accepted.
//!
//! Every step can be repeated, so the next runner can finish what a killed runner began.

use events::{LoopEvent, RevertedChanges, StoryBrief};
use tasks::{Mode, ReviewFields, ReviewPolicy, ReviewStatus, Story, TaskList};
use verify::{Finding, GitQuestions, Judgement, RepositoryChange};

use crate::RunError;
use crate::control::{RunControl, Step};
use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
use crate::lane::revert;
use crate::lane::settlement::{PendingCorrection, SessionEnd, SettledStep, Settlement};
use crate::lane::story_context::StoryContext;
use crate::lane::story_record::IterationFailure;
use crate::lane::take_back::{StatusChange, status_event};
use crate::lane::task_text::TaskText;
use crate::lane::verdict::{VoidVerdict, message_verdict};
use crate::run_files::{self, deadline};

impl Lane<'_> {
    /// Keeps the work and judges it. The caller saves the failure, then calls `correct`.
    pub(crate) fn settle(
        &mut self,
        iteration: &Iteration,
        end: &SessionEnd,
        context: &StoryContext,
        control: &mut RunControl<'_>,
    ) -> Result<Settlement, RunError> {
        match self.settle_step(iteration, end, context, control) {
            Err(_) if self.workspace.restore_all_permissions() => {
                self.settle_step(iteration, end, context, control)
            }
            settled => settled,
        }
    }

    /// Carries out the correction; can be repeated. Returns the list that counts afterwards.
    pub(crate) fn correct(
        &mut self,
        iteration: &Iteration,
        settlement: &Settlement,
    ) -> Result<Option<TaskText>, RunError> {
        match self.carry_out(iteration, settlement) {
            Err(_) if self.workspace.restore_all_permissions() => {
                self.carry_out(iteration, settlement)
            }
            corrected => corrected,
        }
    }

    fn carry_out(
        &mut self,
        iteration: &Iteration,
        settlement: &Settlement,
    ) -> Result<Option<TaskText>, RunError> {
        let findings = settlement.failure.as_ref().map_or(&[][..], |failure| &failure.findings);
        match &settlement.correction {
            PendingCorrection::None => Ok(None),
            PendingCorrection::Revert(judgement) => {
                self.revert(iteration, judgement, findings).map(Some)
            }
            PendingCorrection::TakeBack(taken_back) => {
                let list = self.take_back(iteration, taken_back)?;
                if !findings.is_empty() {
                    self.sink.emit(LoopEvent::ChangesReverted(RevertedChanges {
                        findings: findings.to_vec(),
                        corrections: vec!["restored the state from before the checks".into()],
                        commit: None,
                    }));
                }
                Ok(Some(list))
            }
        }
    }

    /// Recreates the runner's folder and lock if the agent removed them.
    fn keep_run_files(
        &self,
        iteration: &Iteration,
        control: &mut RunControl<'_>,
    ) -> Result<(), RunError> {
        run_files::make_folder(&iteration.folder, self.layout)?;
        run_files::keep_lock(&mut control.lock, self.layout, &self.sink)
    }

    fn settle_step(
        &mut self,
        iteration: &Iteration,
        end: &SessionEnd,
        context: &StoryContext,
        control: &mut RunControl<'_>,
    ) -> Result<Settlement, RunError> {
        self.keep_run_files(iteration, control)?;
        let changed = self.commit_work(iteration)?;
        let handoff = self.keep_handoff(iteration, &end.handoff)?;
        let settlement = self.judge_step(iteration, end, changed, context, control)?;
        Ok(Settlement { handoff, ..settlement })
    }

    /// Commits everything that the session left, after changes of the repository itself are reverted. Returns those
    /// that decide what is committed or checked.
    pub(crate) fn commit_work(
        &mut self,
        iteration: &Iteration,
    ) -> Result<Vec<RepositoryChange>, RunError> {
        let mut changed = self.workspace.restore_repository(&iteration.work())?;
        self.workspace.remove_stale_git_locks()?;
        self.workspace.keep_list_folder(&iteration.work())?;
        let hidden = self.workspace.unhide_files()?;
        let (mut dirty, compared) = self.workspace.keep_branch(&iteration.work())?;
        // Hidden files are not work: they are restored from the commit.
        dirty.retain(|dirty| !hidden.contains_key(&dirty.path));
        self.workspace.keep_work(&iteration.work(), dirty)?;
        self.workspace.keep_history(&iteration.work())?;
        changed.extend(hidden.into_values());
        changed.extend(self.workspace.prove_work(&iteration.work(), compared)?);
        Ok(changed)
    }

    /// Applies the rules to what the session left, then runs the checks if a story claims to work.
    fn judge_step(
        &mut self,
        iteration: &Iteration,
        end: &SessionEnd,
        changed: Vec<RepositoryChange>,
        context: &StoryContext,
        control: &mut RunControl<'_>,
    ) -> Result<Settlement, RunError> {
        let mut judgement = self.judge(iteration, end)?;
        judgement.findings.extend(changed.into_iter().map(Finding::Repository));
        self.drop_earlier_files(iteration, &mut judgement)?;
        let findings = revert::descriptions(&judgement, &self.layout.tasks_name());
        if !findings.is_empty() {
            let failure = Some(IterationFailure { findings, ..Default::default() });
            let correction = PendingCorrection::Revert(judgement);
            let undone = Settlement::of(SettledStep::Step(Step::Undone));
            return Ok(Settlement { failure, correction, ..undone });
        }
        let judged = judgement.task_list.as_deref().unwrap_or_default();
        let after = TaskText::accepted(self.layout, judged)?;
        let after = self.with_own_checks(iteration, after)?;
        self.report_new_stories(&iteration.before.list, &after.list);
        if let Some(void) = VoidVerdict::of(&judgement, end.outcome) {
            return Ok(self.void_verdict(iteration, after, void, end.outcome, context));
        }
        if iteration.assignment.mode == Mode::Specify {
            return self.specify_step(iteration, end, after, context, control);
        }
        let changes = status_changes(&iteration.before.list, &after.list);
        if changes.is_empty() {
            let is_split = after.list.story(&iteration.assignment.story).is_none();
            return Ok(Settlement::accepted(
                if is_split { Step::Accepted } else { Step::None },
                after,
            ));
        }
        if changes.iter().any(|step| claims_to_work(&step.new, iteration.review())) {
            return self.check_step(iteration, after, changes, context, control);
        }
        self.report_status_changes(&changes);
        Ok(Settlement::accepted(Step::Accepted, after))
    }

    pub(super) fn report_status_changes(&self, changes: &[StatusChange]) {
        for step in changes {
            self.sink.emit(status_event(&step.old, &step.new));
        }
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
        self.sink.warn(format!("{} changed verifyCommands; restored", iteration.label()));
        let text = iteration.corrected(after.text.as_bytes()).text;
        self.workspace.replace_task_list(&text)?;
        let message = format!("ralph: restore the checks that {} changed", iteration.label());
        self.workspace.commit_own(&[self.layout.tasks_name()], &message)?;
        TaskText::parse(text.as_bytes()).map_err(|problems| RunError::InvalidTaskList {
            path: self.layout.tasks_name(),
            problems,
        })
    }

    fn judge(&mut self, iteration: &Iteration, end: &SessionEnd) -> Result<Judgement, RunError> {
        // Everything is committed at this point.
        let questions = GitQuestions::about_commits(&self.workspace.tree);
        let message = message_verdict(iteration.assignment.mode, end.verdict);
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

    /// Reports added and removed stories.
    pub(crate) fn report_new_stories(&self, before: &TaskList, after: &TaskList) {
        for story in after.stories.iter().filter(|story| before.story(&story.id).is_none()) {
            self.sink.emit(LoopEvent::StoryAdded { story: StoryBrief::of(story) });
        }
        for gone in before.stories.iter().filter(|story| after.story(&story.id).is_none()) {
            let (id, criteria) = (&gone.id, gone.acceptance_criteria.len());
            self.sink.warn(match self.options.rules() {
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

fn status_changes(before: &TaskList, after: &TaskList) -> Vec<StatusChange> {
    let fields =
        |story: &Story| before.story(&story.id).map_or_else(ReviewFields::fresh, ReviewFields::of);
    let is_changed = |new: &&Story| fields(new).state != new.state();
    let changed = after.stories.iter().filter(is_changed);
    changed.map(|new| StatusChange { old: fields(new), new: new.clone() }).collect()
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
