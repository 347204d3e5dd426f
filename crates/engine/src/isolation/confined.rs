//! A program in its sandbox, while it runs.

use os_sandbox::Policy;
use sandbox_network::Proxy;
use tempfile::TempDir;

use super::container::RunningContainer;
use crate::RunError;

#[derive(Debug)]
pub(crate) struct Confined {
    pub(crate) policy: Policy,
    pub(crate) proxy: Option<Proxy>,
    pub(super) container: Option<RunningContainer>,
    /// Copies of files, variables of a container, and temporary files where there is no private `/tmp`.
    pub(super) _temporary: TempDir,
}

impl Confined {
    /// Ends what the death of the started process does not end.
    pub(crate) fn end(&self) -> Result<(), RunError> {
        self.container.as_ref().map_or(Ok(()), RunningContainer::remove)
    }
}
