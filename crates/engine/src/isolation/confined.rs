//! A running program in its sandbox.

use os_sandbox::Policy;
use sandbox_network::Proxy;
use tempfile::TempDir;

use super::container::RunningContainer;
use crate::RunError;

#[derive(Debug)]
pub(crate) struct ConfinedProgram {
    pub(crate) policy: Policy,
    pub(crate) proxy: Option<Proxy>,
    pub(super) container: Option<RunningContainer>,
    /// File copies, the variables of a container, and temporary files where there is no private `/tmp`.
    pub(super) _temporary: TempDir,
}

impl ConfinedProgram {
    /// Ends what survives the death of the started process.
    pub(crate) fn end(&self) -> Result<(), RunError> {
        self.container.as_ref().map_or(Ok(()), RunningContainer::remove)
    }
}
