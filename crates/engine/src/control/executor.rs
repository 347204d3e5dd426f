//! Runs the process tree of a session or a check and streams its lines, here or on another machine.

use supervise::{ChildEvent, Ended, Launch, Reaction, StopRequests, SuperviseError};

use crate::control::session_jobs::SessionJobs;

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
