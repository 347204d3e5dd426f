//! A program in its sandbox, while it runs.

use os_sandbox::Policy;
use sandbox_network::Proxy;
use tempfile::TempDir;

#[derive(Debug)]
pub(crate) struct Confined {
    pub(crate) policy: Policy,
    pub(crate) proxy: Option<Proxy>,
    /// Copies of files, and temporary files where there is no private `/tmp`.
    pub(super) _temporary: Option<TempDir>,
}
