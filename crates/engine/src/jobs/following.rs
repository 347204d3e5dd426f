//! Follows one job, step by step: its log, its status, and when it is cancelled.

use std::time::Duration;

use job_engines::{JobEngine, JobId, JobName};
use supervise::{ProgramRunner, Reaction, StopRequests};

use crate::RunError;
use crate::control::node_jobs::JobEvent;
use crate::jobs::followed_job::{CancelTimes, Followed, OnEvent};
use crate::jobs::job_output::OutputCopy;
use crate::jobs::job_statuses::FollowedStatus;

pub(super) struct Following<'r> {
    pub(super) id: JobId,
    pub(super) name: JobName,
    pub(super) followed: Followed,
    pub(super) status: FollowedStatus<'r>,
    pub(super) output: OutputCopy<'r>,
    pub(super) stops: CancelTimes,
    pub(super) engine: &'r dyn JobEngine,
    pub(super) runner: ProgramRunner<'r>,
    pub(super) grace: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Open,
    /// Nothing else can come from the job.
    Over,
}

impl Following<'_> {
    pub(super) fn step(
        &mut self,
        stop: &StopRequests,
        on_event: OnEvent<'_>,
    ) -> Result<Progress, RunError> {
        let Self { followed, engine, runner, .. } = self;
        followed.read(&self.name, on_event)?;
        if followed.is_over(engine.delivery()) {
            return Ok(Progress::Over);
        }
        let asked = self.status.next(|ids| engine.statuses(ids, runner));
        if let Some(answer) = asked.filter(|_| followed.ended.is_none()) {
            if let Some(printed) = answer.output() {
                self.output.switch_to(printed, *engine);
            }
            followed.update(answer, on_event);
        }
        let reaction = on_event(JobEvent::Tick);
        let is_enough = [reaction, followed.reaction].contains(&Reaction::Enough);
        let due = self.stops.due(stop.current(), is_enough, self.grace);
        if let Some(how) = due.filter(|due| followed.cancelled != Some(*due)) {
            followed.cancelled = Some(how);
            if let Err(error) = engine.cancel(&self.id, how, runner) {
                on_event(JobEvent::Warning(format!("cannot cancel {}: {error}", self.name)));
            }
        }
        Ok(Progress::Open)
    }
}
