//! Runs the process tree of a session or a check and streams its lines, here or on another machine.

use supervise::{ChildEvent, Ended, Launch, Reaction, StopRequests, SuperviseError};
use tasks::StoryId;

use crate::control::node_jobs::{CheckJobs, SessionJobs};
use crate::event_sink::EventSink;

pub(crate) trait Executor: Sync {
    /// Returns once the whole process tree has ended.
    fn run(
        &self,
        launch: Launch,
        stop: &StopRequests,
        on_event: &mut dyn FnMut(ChildEvent<'_>) -> Reaction,
    ) -> Result<Ended, SuperviseError>;

    /// `None` if sessions run on this machine.
    fn session_jobs(&self) -> Option<&dyn SessionJobs> {
        None
    }

    /// `None` if checks run on this machine.
    fn check_jobs(&self) -> Option<&dyn CheckJobs> {
        None
    }

    /// Nothing needs the results of earlier jobs for this story any more.
    fn forget_jobs(&self, _run_id: &str, _story: &StoryId, _sink: &EventSink<'_>) {}
}

/// This machine.
pub(crate) struct LocalProcesses;

impl Executor for LocalProcesses {
    fn run(
        &self,
        launch: Launch,
        stop: &StopRequests,
        on_event: &mut dyn FnMut(ChildEvent<'_>) -> Reaction,
    ) -> Result<Ended, SuperviseError> {
        supervise::run(launch, stop, on_event)
    }
}
