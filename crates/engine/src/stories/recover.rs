//! Judges the iteration that a killed runner left behind, as that runner would have done.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use project::{LARGEST_TASK_LIST, ProtectedFiles};
use tasks::Sha256Digest;
use vcs::{CommitId, NewIgnored};

use crate::decide::{Ended, Happened, Step};
use crate::run_files::deadline;
use crate::stories::iterate::protected_before;
use crate::stories::iteration::{Iteration, LARGEST_PROTECTED, MarkerInput};
use crate::stories::judged_list::{committed, kept, session_folder};
use crate::stories::roll_back::RollbackPoint;
use crate::stories::run::Run;
use crate::stories::settle::{SessionEnd, Settled};
use crate::stories::state::{Running, TakenBackFor};
use crate::stories::task_text::TaskText;
use crate::stories::verdict::void_step;
use crate::{AgentOutcome, RunError, drive};

/// The user decides what cannot be judged any more.
pub(crate) const BEGIN_WITHOUT_STATE: &str = "check in `git log` that the task list is right, then remove \
                                              .ralph/state.json and .ralph-active";

impl Run<'_> {
    pub(crate) fn recover(&mut self, running: Running) -> Result<(), RunError> {
        // Its checks are work, and end with the run's time.
        self.clock.start(Instant::now());
        let outcome = running.outcome.unwrap_or(AgentOutcome::RunnerDied);
        let end = SessionEnd { outcome, verdict: running.verdict };
        let (taken_back, why) = (running.taken_back.clone(), running.taken_back_for);
        let number = running.assignment.iteration;
        let iteration = self.rebuild(running)?.ok_or_else(|| {
            RunError::precondition(
                format!(
                    "iteration {number} was not judged, and the task list that it began with is gone"
                ),
                BEGIN_WITHOUT_STATE,
            )
        })?;
        self.own_folders_again(&iteration);
        let now = self.tree.state(deadline())?;
        if now.branch.as_deref() != Some(self.state.branch.as_str()) && !now.dirty.is_empty() {
            return Err(RunError::precondition(
                format!(
                    "{} was not judged yet, but this is not its branch ({}), and there are \
                     uncommitted changes",
                    iteration.label(),
                    self.state.branch
                ),
                "commit or stash your own changes, switch to that branch, and try again",
            ));
        }
        self.sink.found(format!(
            "{} of run {} was not finished; judging what it left",
            iteration.label(),
            self.state.run_id
        ));
        let settled = if taken_back.is_empty() {
            self.settle(&iteration, end)?
        } else {
            let left = bounded_read::read_file(&self.layout.tasks(), LARGEST_TASK_LIST);
            let text = iteration.corrected(&left.unwrap_or_default()).text;
            self.apply_taken_back(&iteration, text, &taken_back)?;
            Settled::Step(match why {
                TakenBackFor::Checks => Step::GatesFailed,
                TakenBackFor::Verdict => void_step(outcome),
            })
        };
        let (step, outcome) = match settled {
            Settled::Unfinished => return Ok(()),
            Settled::Skipped => (Step::None, AgentOutcome::Stopped),
            Settled::Step(step) => (step, outcome),
        };
        self.conclude(&iteration, step)?;
        self.account(&iteration, outcome, None, step, Duration::ZERO)?;
        self.roll_back_to(iteration.rollback_point.as_ref(), NewIgnored::Left)?;
        let ended = Ended { outcome, step, resets_at: None };
        drive::next(self, Happened::Ended(ended))?;
        Ok(())
    }

    /// The iteration as it was when it began; `None` if that cannot be known any more.
    fn rebuild(&mut self, running: Running) -> Result<Option<Iteration>, RunError> {
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
            self.sink.warn(format!(
                "what iteration {} began with is not on disk any more, so nothing of it is rolled \
                 back; what was not committed then may be in refs/ralph/{}/",
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
            // A runner that could end in order has taken its marker away.
            marker_sha256: self.layout.marker().exists().then_some(running.marker),
            checkpoint,
            protected,
            folder,
            session: running.session,
            rollback_point,
        }))
    }

    /// The list that a session began with, as a runner that is gone wrote it down.
    pub(crate) fn list_before(
        &self,
        folder: &Path,
        checkpoint: &CommitId,
        digest: Sha256Digest,
    ) -> Option<TaskText> {
        let committed = || committed(&self.tree, self.layout, checkpoint, digest, deadline());
        TaskText::parse(&kept(folder, digest).or_else(committed)?).ok()
    }
}

/// The user's files as they were, as far as their copies are what was recorded.
pub(crate) fn protected(folder: &Path, recorded: &ProtectedFiles) -> BTreeMap<String, Vec<u8>> {
    let copy = |(path, digest): (&String, &Option<Sha256Digest>)| {
        let copy = protected_before(folder, path);
        let bytes = bounded_read::read_file(&copy, LARGEST_PROTECTED).ok()?;
        (Some(Sha256Digest::of(&bytes)) == *digest).then(|| (path.clone(), bytes))
    };
    recorded.iter().filter_map(copy).collect()
}
