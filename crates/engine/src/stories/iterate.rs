//! One iteration of the story loop: prepare, run the session, settle, account.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use events::{AgentOutcome, ClaimBasis, IterationStatus, LoopEvent};
use project::{Layout, record_protected};
use serde_json::Value;
use tasks::{Mode, ReviewFields, Selection, Sha256Digest, StoryId, TaskList};
use uuid::Uuid;
use vcs::{CommitId, NewIgnored};

use crate::decide::{IterationResult, Step};
use crate::outcome::{self, OutcomeInput};
use crate::run_files::{deadline, no_commit};
use crate::stories::assignment::Assignment;
use crate::stories::attempt::Evidence;
use crate::stories::failed_attempt::IterationEnding;
use crate::stories::iteration::{Iteration, MarkerInput};
use crate::stories::memory_state::WorkResult;
use crate::stories::prompt::Escalation;
use crate::stories::roll_back::RollbackPoint;
use crate::stories::run::Run;
use crate::stories::settle::{SessionEnd, Settlement};
use crate::stories::state::{RunningIteration, TakeBackReason};
use crate::stories::story_record::{IterationFailure, SavedReviewFields};
use crate::stories::task_text::TaskText;
use crate::workspace::protected_contents;
use crate::{RunError, iteration_status, own_file, run_files};

/// In an iteration's folder: the task list from before the iteration.
pub(crate) const TASKS_BEFORE: &str = "tasks.before.json";

/// A copy of one of the user's files. All iterations share it, because these files rarely change.
pub(crate) fn protected_before(folder: &Path, path: &str) -> PathBuf {
    folder.with_file_name(format!("before.{}", path.replace(['/', '\\'], "_")))
}

/// Writes what a later runner needs to restore the files if this one is killed.
pub(crate) fn write_before(
    layout: &Layout,
    folder: &Path,
    before: &TaskText,
    protected: &BTreeMap<String, Vec<u8>>,
) -> Result<(), RunError> {
    // The local settings contain secrets, so they are never copied.
    let local = layout.name_of(&layout.local_settings());
    let kept = protected.iter().filter(|(path, _)| **path != local);
    let files = kept.map(|(path, bytes)| (protected_before(folder, path), bytes.as_slice()));
    let tasks = (folder.join(TASKS_BEFORE), before.text.as_bytes());
    for (path, bytes) in files.chain([tasks]) {
        own_file::write_unless_same(&path, bytes)
            .map_err(|error| RunError::Disk { path: path.display().to_string(), error })?;
    }
    Ok(())
}

impl Run<'_> {
    pub(crate) fn iterate_story(
        &mut self,
        assignment: Assignment,
    ) -> Result<IterationResult, RunError> {
        let began = Instant::now();
        let stopped =
            IterationResult { outcome: AgentOutcome::Stopped, step: Step::None, resets_at: None };
        self.compact_if_due(&assignment)?;
        if self.control.switch.requested().is_some() || self.is_skipped(&assignment.story) {
            return Ok(stopped);
        }
        let iteration = self.prepare(assignment)?;
        let session = self.session(&iteration)?;
        let handoff = self.apply_handoff(&iteration, &session)?;
        let conclusion = &session.conclusion;
        let verdict = self.verdict_in_message(&iteration, conclusion);
        let end = SessionEnd { outcome: conclusion.outcome, verdict, handoff };
        let Settlement { result, check_time, amendments } = self.settle(&iteration, &end)?;
        // Without a judgement `running` stays set: the next run judges the iteration.
        let Some((step, outcome)) = result.judged(end.outcome) else { return Ok(stopped) };
        self.control.orders.story = None;
        self.conclude(&iteration, step, &amendments)?;
        if conclusion.claims_completion() {
            let accepted = matches!(self.select_next()?, Selection::Complete);
            let basis = ClaimBasis::TaskList;
            self.control.sink.emit(LoopEvent::CompletionClaimed { accepted, basis, why: None });
        }
        let (session, elapsed) = (Some(&session), began.elapsed());
        let ending = IterationEnding { outcome, step, session, elapsed, check_time };
        self.account(&iteration, &ending)?;
        self.roll_back_to(iteration.rollback_point.as_ref(), NewIgnored::Removed)?;
        if step == Step::Accepted && self.is_followed_up(&iteration.assignment.story) {
            self.state.settings_before = Some(record_protected(self.layout));
            self.save()?;
            self.version_control(&iteration)?;
            if self.is_done(&iteration.assignment.story) {
                self.check_quality(&iteration)?;
            }
            self.state.settings_before = None;
        }
        Ok(IterationResult { outcome, step, resets_at: conclusion.resets_at })
    }

    /// Whether another session follows an accepted step: for the commit message or for quality.
    fn is_followed_up(&self, story: &StoryId) -> bool {
        let is_looked_at = self.options.quality.is_some() && self.is_done(story);
        self.options.run.scm.is_some() || is_looked_at
    }

    /// Plan changes and squashing, before the iteration is accounted.
    pub(crate) fn conclude(
        &mut self,
        iteration: &Iteration,
        step: Step,
        amendments: &[Value],
    ) -> Result<(), RunError> {
        self.amend_plan(iteration, step, amendments)?;
        self.squash(iteration, step)
    }

    /// Records everything that the iteration is judged by, in memory and on disk.
    fn prepare(&mut self, assignment: Assignment) -> Result<Iteration, RunError> {
        let before = self.expected_tasks()?;
        let checkpoint = self.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        let Assignment { iteration, attempt, mode, story } = &assignment;
        if *mode == Mode::Review {
            let record = self.state.stories.get(story);
            let began = record.and_then(|record| CommitId::new(record.began_at.as_ref()?).ok());
            if let Some(began) = began {
                self.workspace.refuse_forged_objects(story, &began, &checkpoint)?;
            }
        }
        let name = format!("{iteration:03}-{mode}-{story}");
        let folder = run_files::new_folder(self.layout, &self.state.run_id, &name, *attempt)?;
        let rollback_point = self.take_checkpoint(&assignment, &folder)?;
        let session = Uuid::new_v4().to_string();
        let protected = protected_contents(self.layout);
        write_before(self.layout, &folder, &before, &protected)?;
        let marker = self.marker(MarkerInput {
            assignment: &assignment,
            session: &session,
            before: &before,
            protected: record_protected(self.layout),
            checkpoint: &checkpoint,
        });
        let written = marker.write(self.layout)?;
        self.state.running = Some(RunningIteration {
            assignment: assignment.clone(),
            session: session.clone(),
            checkpoint: checkpoint.to_string(),
            folder: self.layout.name_of(&folder),
            tasks_before: Sha256Digest::of(&before.text),
            protected: marker.protected_files.clone(),
            marker: written,
            outcome: None,
            verdict: None,
            taken_back: Vec::new(),
            taken_back_for: TakeBackReason::default(),
            rollback_point: rollback_point.as_ref().map(RollbackPoint::digest),
        });
        let escalation = self.begin_attempt(&assignment, &before, &checkpoint);
        match assignment.mode {
            Mode::Implement | Mode::ReviewFix => self.state.user_instructions.give(),
            Mode::Review => self.state.user_instructions.withhold(),
        }
        self.save()?;
        let marker_sha256 = Some(written);
        let iteration = Iteration {
            assignment,
            before,
            marker,
            marker_sha256,
            checkpoint,
            protected,
            folder,
            session,
            rollback_point,
            escalation,
        };
        self.report_start(&iteration);
        Ok(iteration)
    }

    /// Records where the story began, and chooses the extra help for the attempt.
    fn begin_attempt(
        &mut self,
        assignment: &Assignment,
        before: &TaskText,
        from: &CommitId,
    ) -> Escalation {
        let escalation = self.escalation_for(assignment);
        self.report_escalation(&assignment.story, &escalation);
        self.write_state_md(&assignment.story);
        let began_as = before
            .list
            .story(&assignment.story)
            .map(|story| SavedReviewFields::new(&story.id, ReviewFields::of(story)));
        let record = self.state.story(&assignment.story);
        record.began_at.get_or_insert_with(|| from.to_string());
        record.began_as = record.began_as.take().or(began_as);
        // A review judges the work of the session that got the help.
        if assignment.mode != Mode::Review {
            record.help_given = escalation.help;
        }
        escalation
    }

    fn report_start(&mut self, iteration: &Iteration) {
        let story = iteration.story();
        let Assignment { iteration: number, attempt, mode, story: id } = &iteration.assignment;
        let event = LoopEvent::IterationStarted {
            iteration: *number,
            attempt: *attempt,
            mode: (*mode).into(),
            story: Some(id.clone()),
            title: story.map(|story| story.title.clone()).unwrap_or_default(),
            model: self.model(*mode, story),
            session: iteration.session.clone(),
            folder: self.layout.name_of(&iteration.folder),
            checkpoint: iteration.checkpoint.to_string(),
        };
        self.control.sink.emit(event);
    }

    /// Writes the iteration's result, emits its event and clears `running`.
    pub(crate) fn account(
        &mut self,
        iteration: &Iteration,
        ending: &IterationEnding<'_>,
    ) -> Result<(), RunError> {
        let IterationEnding { outcome, step, session, elapsed, check_time } = *ending;
        let (policy, retries) = (&self.options.run.policy, self.state.counters.retries);
        let status = iteration_status::of(outcome, step, policy, retries);
        let cost = session.and_then(|s| s.conclusion.result.as_ref()?.cost_usd).unwrap_or_default();
        let account = OutcomeInput {
            folder: &iteration.folder,
            iteration: iteration.assignment.iteration,
            attempt: iteration.assignment.attempt,
            mode: iteration.assignment.mode.into(),
            story: Some(&iteration.assignment.story),
            session: &iteration.session,
            checkpoint: iteration.checkpoint.as_str(),
            status,
            agent: outcome,
            check_seconds: check_time.as_secs_f64(),
        };
        outcome::write(&account, session);
        self.record_result(iteration, ending, status)?;
        let list = &self.expected_tasks()?.list;
        let done = list.stories.iter().filter(|story| story.passes).count() as u64;
        let assignment = &iteration.assignment;
        // For display only: a git error must not lose a judged iteration.
        let commit = self.workspace.tree.head(deadline()).ok().flatten();
        self.control.sink.emit(LoopEvent::IterationEnded {
            iteration: assignment.iteration,
            mode: assignment.mode.into(),
            story: Some(assignment.story.clone()),
            status,
            seconds: elapsed.as_secs_f64(),
            agent_seconds: session.map_or(0.0, |session| session.elapsed.as_secs_f64()),
            check_seconds: check_time.as_secs_f64(),
            cost_usd: cost,
            total_cost_usd: self.state.counters.cost_usd,
            done,
            stories: list.stories.len() as u64,
            commit: commit.map(|commit| commit.to_string()),
        });
        Ok(())
    }

    /// Copies the notices of a split story to its parts, for their reviewers.
    fn copy_notices_to_parts(&mut self, before: &TaskList) -> Result<(), RunError> {
        let expected = self.expected_tasks()?;
        for part in &expected.list.stories {
            let split = part.split_from.as_ref().filter(|id| expected.list.story(id).is_none());
            let split = split.filter(|_| before.story(&part.id).is_none());
            let Some(record) = split.and_then(|id| self.state.stories.get(id)).cloned() else {
                continue;
            };
            self.state.story(&part.id).inherit(record);
        }
        Ok(())
    }

    fn record_result(
        &mut self,
        iteration: &Iteration,
        ending: &IterationEnding<'_>,
        status: IterationStatus,
    ) -> Result<(), RunError> {
        // Before an accepted review clears them.
        self.store_notices();
        let story = iteration.assignment.story.clone();
        let work = self.work_done(iteration)?;
        let record = self.state.story(&story);
        record.iterations += 1;
        match ending.step {
            Step::Accepted => record.unsubmitted = 0,
            Step::None if ending.outcome.is_answer() => record.unsubmitted += 1,
            Step::None | Step::ChecksFailed | Step::Undone | Step::Void => {}
        }
        let evidence = self.evidence(iteration, ending, &work);
        let result = work_result(ending, evidence.as_ref(), iteration.rollback_point.as_ref());
        self.mark_handoff(iteration, result);
        match result {
            WorkResult::RolledBack => self.plan_roll_back(iteration),
            WorkResult::Kept | WorkResult::NotAccepted => {
                self.record_work(iteration, &work);
                self.state.story(&story).rolled_back = None;
            }
        }
        if let (Some(evidence), Step::None) = (&evidence, ending.step) {
            let other = Some(evidence.output.join("\n"));
            self.record_failure(iteration, IterationFailure { other, ..Default::default() })?;
        }
        let record = self.state.story(&story);
        if status == IterationStatus::Accepted {
            record.failure = None;
            if iteration.assignment.mode == Mode::Review {
                record.weakened.clear();
                record.notices.clear();
            }
        }
        let failed = record.failure.is_some();
        if let Some(evidence) = evidence {
            // Its outcome alone counts neither as a step nor as a failure.
            if ending.step == Step::None && ending.outcome.is_answer() {
                self.state.counters.failed += 1;
            }
            self.record_attempt(iteration, evidence, work.files);
        }
        if self.is_done(&story) {
            self.forget_outputs(&story);
        }
        self.copy_notices_to_parts(&iteration.before.list)?;
        self.state.failed_last = failed.then_some(story);
        self.state.running = None;
        Ok(())
    }
}

/// What happens to the iteration's work. A review that requests changes is accepted, but still a failed attempt
/// at its story.
fn work_result(
    ending: &IterationEnding<'_>,
    evidence: Option<&Evidence>,
    rollback_point: Option<&RollbackPoint>,
) -> WorkResult {
    // The next session must not start from the work of an interrupted one.
    let is_cut_off = ending.step == Step::None && !ending.outcome.is_answer();
    match (evidence, rollback_point) {
        (_, Some(_)) if evidence.is_some() || is_cut_off => WorkResult::RolledBack,
        (Some(_), _) if ending.step != Step::Accepted => WorkResult::NotAccepted,
        _ if ending.step == Step::Void => WorkResult::NotAccepted,
        _ => WorkResult::Kept,
    }
}
