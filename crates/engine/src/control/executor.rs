//! Runs the process tree of a session or a check and streams its lines. Lanes do not know where it runs.

use supervise::{ChildEvent, Ended, Launch, Reaction, StopRequests, SuperviseError};

pub(crate) trait Executor: Sync {
    /// Returns once the whole process tree has ended.
    fn run(
        &self,
        launch: Launch,
        stop: &StopRequests,
        on_event: &mut dyn FnMut(ChildEvent<'_>) -> Reaction,
    ) -> Result<Ended, SuperviseError>;
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
