//! One iteration from its assignment to its account: prepared, run, settled, booked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use project::record_protected;
use tasks::{Selection, Sha256Digest};
use uuid::Uuid;

use crate::decide::{Assignment, Ended, Step};
use crate::iteration::{Iteration, MarkerInput, protected_contents};
use crate::run::Run;
use crate::session::Session;
use crate::settle::{Settled, deadline, no_commit};
use crate::state::{Failure, Running};
use crate::task_text::TaskText;
use crate::{AgentOutcome, Claim, IterationStatus, LoopEvent, RunError, outcome};

/// The name, in an iteration's folder, of the task list as it was when the iteration began.
pub(crate) const TASKS_BEFORE: &str = "tasks.before.json";

/// The same for one of the user's files.
pub(crate) fn protected_before(path: &str) -> String {
    format!("before.{}", path.replace(['/', '\\'], "_"))
}

/// What a later runner would need to put things back: memory dies with this one.
fn write_before(
    folder: &Path,
    before: &TaskText,
    protected: &BTreeMap<String, Vec<u8>>,
) -> Result<(), RunError> {
    let files = protected.iter().map(|(path, bytes)| (protected_before(path), bytes.as_slice()));
    let tasks = (TASKS_BEFORE.to_owned(), before.text.as_bytes());
    for (name, bytes) in files.chain([tasks]) {
        let path = folder.join(name);
        std::fs::write(&path, bytes)
            .map_err(|error| RunError::Disk { path: path.display().to_string(), error })?;
    }
    Ok(())
}

impl Run<'_> {
    pub(crate) fn iterate(&mut self, assignment: Assignment) -> Result<Ended, RunError> {
        let began = Instant::now();
        self.gate_time = Duration::ZERO;
        let iteration = self.prepare(assignment)?;
        let session = self.session(&iteration)?;
        let conclusion = &session.conclusion;
        let settled = self.settle(&iteration)?;
        let step = match settled {
            Settled::Step(step) => step,
            Settled::Unfinished => {
                // `running` stays: the next run judges it.
                let (outcome, resets_at) = (AgentOutcome::Stopped, None);
                return Ok(Ended { outcome, step: Step::None, resets_at });
            }
        };
        if conclusion.claims_completion {
            let complete = matches!(self.look()?, Selection::Complete);
            let claim = if complete { Claim::True } else { Claim::False };
            self.teller.tell(LoopEvent::CompletionClaimed { claim });
        }
        let (outcome, resets_at) = (conclusion.outcome, conclusion.resets_at);
        self.account(&iteration, outcome, Some(&session), step, began.elapsed())?;
        Ok(Ended { outcome, step, resets_at })
    }

    /// Everything that the iteration will be judged by, in memory and on disk before it begins.
    fn prepare(&mut self, assignment: Assignment) -> Result<Iteration, RunError> {
        let before = self.standing_list()?;
        let checkpoint = self.tree.head(deadline())?.ok_or_else(no_commit)?;
        let folder = self.make_folder(&assignment)?;
        let session = Uuid::new_v4().to_string();
        let protected = protected_contents(self.layout);
        write_before(&folder, &before, &protected)?;
        let marker = self.marker(MarkerInput {
            assignment: &assignment,
            session: &session,
            before: &before,
            protected: record_protected(self.layout),
            checkpoint: &checkpoint,
        });
        let written = marker.write(self.layout)?;
        self.state.running = Some(Running {
            assignment: assignment.clone(),
            session: session.clone(),
            checkpoint: checkpoint.to_string(),
            folder: self.layout.name_of(&folder),
            tasks_before: Sha256Digest::of(&before.text),
            protected: marker.protected_files.clone(),
            marker: written,
            outcome: None,
            taken_back: Vec::new(),
        });
        let record = self.state.story(&assignment.story);
        record.began_at.get_or_insert_with(|| checkpoint.to_string());
        self.state.save(self.layout)?;
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
        };
        self.tell_start(&iteration);
        Ok(iteration)
    }

    /// An iteration that was interrupted is done again under the same number, and what the
    /// interrupted one left is not written over.
    fn make_folder(&self, assignment: &Assignment) -> Result<PathBuf, RunError> {
        let Assignment { iteration, attempt, mode, story } = assignment;
        let run_dir = self.layout.run_dir(&self.state.run_id);
        let name = format!("{iteration:03}-{mode}-{story}");
        let mut attempt = *attempt;
        let mut folder = match attempt {
            0 | 1 => run_dir.join(&name),
            _ => run_dir.join(format!("{name}-try{attempt}")),
        };
        while folder.exists() {
            attempt += 1;
            folder = run_dir.join(format!("{name}-try{attempt}"));
        }
        std::fs::create_dir_all(&folder)
            .map_err(|error| RunError::Disk { path: folder.display().to_string(), error })?;
        Ok(folder)
    }

    fn tell_start(&mut self, iteration: &Iteration) {
        let story = iteration.story();
        let Assignment { iteration: number, attempt, mode, story: id } = &iteration.assignment;
        let event = LoopEvent::IterationStarted {
            iteration: *number,
            attempt: *attempt,
            mode: *mode,
            story: id.clone(),
            title: story.map(|story| story.title.clone()).unwrap_or_default(),
            model: self.model(story),
            session: iteration.session.clone(),
            folder: self.layout.name_of(&iteration.folder),
            checkpoint: iteration.checkpoint.to_string(),
        };
        self.teller.tell(event);
    }

    /// Books the iteration and forgets that it ran.
    pub(crate) fn account(
        &mut self,
        iteration: &Iteration,
        outcome: AgentOutcome,
        session: Option<&Session>,
        step: Step,
        elapsed: Duration,
    ) -> Result<(), RunError> {
        let status = status(outcome, step);
        let cost = session.and_then(|s| s.conclusion.result.as_ref()?.cost_usd).unwrap_or_default();
        outcome::write(iteration, outcome, session, status, self.gate_time.as_secs_f64());
        self.remember(iteration, status)?;
        let list = &self.standing_list()?.list;
        let done = list.stories.iter().filter(|story| story.passes).count() as u64;
        let assignment = &iteration.assignment;
        self.teller.tell(LoopEvent::IterationEnded {
            iteration: assignment.iteration,
            mode: assignment.mode,
            story: assignment.story.clone(),
            status,
            seconds: elapsed.as_secs_f64(),
            agent_seconds: session.map_or(0.0, |session| session.elapsed.as_secs_f64()),
            gate_seconds: self.gate_time.as_secs_f64(),
            cost_usd: cost,
            total_cost_usd: self.state.counters.cost_usd,
            done,
            stories: list.stories.len() as u64,
        });
        Ok(())
    }

    fn remember(&mut self, iteration: &Iteration, status: IterationStatus) -> Result<(), RunError> {
        let story = iteration.assignment.story.clone();
        if status == IterationStatus::TimedOut {
            let other =
                Some("It took longer than it may and was ended; go on from what it left.".into());
            self.fail(iteration, Failure { other, ..Failure::default() })?;
        }
        let record = self.state.story(&story);
        record.iterations += 1;
        record.failed_attempts += u64::from(status.is_failed_attempt());
        if status == IterationStatus::Accepted {
            record.failure = None;
        }
        let failed = record.failure.is_some();
        self.state.failed_last = failed.then_some(story);
        self.state.running = None;
        Ok(())
    }
}

fn status(outcome: AgentOutcome, step: Step) -> IterationStatus {
    match (step, outcome) {
        (Step::Accepted, _) => IterationStatus::Accepted,
        (Step::Undone, _) => IterationStatus::Undone,
        (Step::GatesFailed, _) => IterationStatus::GatesFailed,
        (Step::None, AgentOutcome::Answered | AgentOutcome::TurnLimit) => {
            IterationStatus::NoProgress
        }
        (Step::None, AgentOutcome::TimedOut) => IterationStatus::TimedOut,
        (Step::None, AgentOutcome::Stopped | AgentOutcome::RunnerDied) => IterationStatus::Stopped,
        (
            Step::None,
            AgentOutcome::EmptyAnswer
            | AgentOutcome::Crashed
            | AgentOutcome::ApiError
            | AgentOutcome::UsageLimit,
        ) => IterationStatus::Retried,
        (
            Step::None,
            AgentOutcome::BudgetExhausted | AgentOutcome::PromptTooLong | AgentOutcome::LoginNeeded,
        ) => IterationStatus::Failed,
    }
}
