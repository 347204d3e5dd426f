//! The machines of a run: this one, and batch engines for sessions and checks.

use supervise::{ChildEvent, Ended, Launch, Reaction, StopRequests, SuperviseError};
use tasks::StoryId;

use crate::control::executor::Executor;
use crate::control::node_jobs::{CheckJobs, SessionJobs};
use crate::event_sink::EventSink;
use crate::jobs::JobRunner;

pub(crate) struct Machines<'a> {
    pub(crate) here: &'a dyn Executor,
    pub(crate) sessions: Option<JobRunner<'a>>,
    pub(crate) checks: Option<JobRunner<'a>>,
}

impl Executor for Machines<'_> {
    fn run(
        &self,
        launch: Launch,
        stop: &StopRequests,
        on_event: &mut dyn FnMut(ChildEvent<'_>) -> Reaction,
    ) -> Result<Ended, SuperviseError> {
        self.here.run(launch, stop, on_event)
    }

    fn session_jobs(&self) -> Option<&dyn SessionJobs> {
        self.sessions.as_ref().map(|jobs| jobs as _)
    }

    fn check_jobs(&self) -> Option<&dyn CheckJobs> {
        self.checks.as_ref().map(|jobs| jobs as _)
    }

    fn forget_jobs(&self, run_id: &str, story: &StoryId, sink: &EventSink<'_>) {
        for jobs in [&self.sessions, &self.checks].into_iter().flatten() {
            jobs.forget(run_id, story, sink);
        }
    }
}
