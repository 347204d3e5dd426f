//! Judges the iteration that a killed runner left unjudged, as that runner would have done.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use events::AgentOutcome;
use project::{LARGEST_TASK_LIST, ProtectedFiles};
use tasks::Sha256Digest;
use vcs::{CommitId, NewIgnored};

use crate::decide::{IterationResult, LoopInput, Step};
use crate::run_files::deadline;
use crate::stories::failed_attempt::IterationEnding;
use crate::stories::handoff::SessionHandoff;
use crate::stories::iterate::protected_before;
use crate::stories::iteration::{Iteration, MarkerInput};
use crate::stories::judged_list::{committed, kept, session_folder};
use crate::stories::prompt::Escalation;
use crate::stories::roll_back::RollbackPoint;
use crate::stories::run::Run;
use crate::stories::settle::{SessionEnd, SettledStep, Settlement};
use crate::stories::state::{RunningIteration, TakeBackReason};
use crate::stories::task_text::TaskText;
use crate::stories::verdict::void_step;
use crate::workspace::LARGEST_PROTECTED;
use crate::{RunError, drive};

/// Hint for iterations that cannot be judged.
pub(crate) const REMOVE_STATE_HINT: &str = "check with `git log` that the task list is correct, then remove \
                                              .ralph/state.json and .ralph-active";

impl Run<'_> {
    pub(crate) fn recover(&mut self, running: RunningIteration) -> Result<(), RunError> {
        // The checks count as work time of the run.
        self.control.clock.start(Instant::now());
        let outcome = running.outcome.unwrap_or(AgentOutcome::RunnerDied);
        let handoff = SessionHandoff::default();
        let end = SessionEnd { outcome, verdict: running.verdict, handoff };
        let (taken_back, why) = (running.taken_back.clone(), running.taken_back_for);
        let number = running.assignment.iteration;
        let iteration = self.rebuild(running)?.ok_or_else(|| {
            RunError::precondition(
                format!(
                    "iteration {number} was not judged, and the task list from before it is lost"
                ),
                REMOVE_STATE_HINT,
            )
        })?;
        self.workspace.restore_folder_permissions(&iteration.work());
        let now = self.workspace.tree.state(deadline())?;
        if now.branch.as_deref() != Some(self.workspace.baseline.branch.as_str())
            && !now.dirty.is_empty()
        {
            return Err(RunError::precondition(
                format!(
                    "{} was not judged yet, but its branch ({}) is not checked out, and there are \
                     uncommitted changes",
                    iteration.label(),
                    self.workspace.baseline.branch
                ),
                "commit or stash your own changes, switch to that branch, and try again",
            ));
        }
        self.control.sink.leftover_found(format!(
            "{} of run {} was interrupted; judging its work",
            iteration.label(),
            self.state.run_id
        ));
        let settlement = if taken_back.is_empty() {
            self.settle(&iteration, &end)?
        } else {
            let left = bounded_read::read_file(&self.layout.tasks(), LARGEST_TASK_LIST);
            let text = iteration.corrected(&left.unwrap_or_default()).text;
            self.apply_taken_back(&iteration, text, &taken_back)?;
            let step = match why {
                TakeBackReason::Checks => Step::ChecksFailed,
                TakeBackReason::Verdict => void_step(outcome),
            };
            let (check_time, amendments) = (Duration::ZERO, Vec::new());
            Settlement { result: SettledStep::Step(step), check_time, amendments }
        };
        let Settlement { result, check_time, amendments } = settlement;
        let Some((step, outcome)) = result.judged(outcome) else { return Ok(()) };
        self.conclude(&iteration, step, &amendments)?;
        let (session, elapsed) = (None, Duration::ZERO);
        let ending = IterationEnding { outcome, step, session, elapsed, check_time };
        self.account(&iteration, &ending)?;
        self.roll_back_to(iteration.rollback_point.as_ref(), NewIgnored::Kept)?;
        let ended = IterationResult { outcome, step, resets_at: None };
        drive::next(self, LoopInput::Ended(ended))?;
        Ok(())
    }

    /// The iteration as recorded at its start; `None` if the record is lost.
    fn rebuild(&mut self, running: RunningIteration) -> Result<Option<Iteration>, RunError> {
        let Ok(checkpoint) = CommitId::new(&running.checkpoint) else { return Ok(None) };
        let Some(folder) = session_folder(self.layout, &self.state.run_id, &running.folder) else {
            return Ok(None);
        };
        let Some(before) = self.list_before(&folder, &checkpoint, running.tasks_before) else {
            return Ok(None);
        };
        std::fs::create_dir_all(&folder)
            .map_err(|error| RunError::Disk { path: running.folder.clone(), error })?;
        let protected = protected(&folder, &running.protected);
        let rollback_point =
            running.rollback_point.and_then(|digest| RollbackPoint::recorded_in(&folder, digest));
        if running.rollback_point.is_some() && rollback_point.is_none() {
            self.control.sink.warn(format!(
                "the checkpoint of iteration {} is lost, so its changes are not rolled back; \
                 files that were uncommitted before it may be in refs/ralph/{}/",
                running.assignment.iteration, self.state.run_id
            ));
        }
        let marker = self.marker(MarkerInput {
            assignment: &running.assignment,
            session: &running.session,
            before: &before,
            protected: running.protected,
            checkpoint: &checkpoint,
        });
        Ok(Some(Iteration {
            assignment: running.assignment,
            before: Rc::new(before),
            marker,
            // A runner that ended normally has removed its marker.
            marker_sha256: self.layout.marker().exists().then_some(running.marker),
            checkpoint,
            protected,
            folder,
            session: running.session,
            rollback_point,
            escalation: Escalation::default(),
        }))
    }

    /// The list from before a session, as recorded by a killed runner.
    pub(crate) fn list_before(
        &self,
        folder: &Path,
        checkpoint: &CommitId,
        digest: Sha256Digest,
    ) -> Option<TaskText> {
        let committed =
            || committed(&self.workspace.tree, self.layout, checkpoint, digest, deadline());
        TaskText::parse(&kept(folder, digest).or_else(committed)?).ok()
    }
}

/// The recorded contents of the user's files, without copies whose digest does not match.
pub(crate) fn protected(folder: &Path, recorded: &ProtectedFiles) -> BTreeMap<String, Vec<u8>> {
    let copy = |(path, digest): (&String, &Option<Sha256Digest>)| {
        let copy = protected_before(folder, path);
        let bytes = bounded_read::read_file(&copy, LARGEST_PROTECTED).ok()?;
        (Some(Sha256Digest::of(&bytes)) == *digest).then(|| (path.clone(), bytes))
    };
    recorded.iter().filter_map(copy).collect()
}
