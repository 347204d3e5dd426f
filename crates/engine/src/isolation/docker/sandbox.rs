//! A Docker sandbox that exists, and the run that uses it.

use std::time::Duration;

use isolation::docker::{Cli, SandboxName};
use project::Layout;
use supervise::Keeper;

use super::fingerprint::Fingerprint;
use crate::StopSwitch;

/// The run that uses the sandbox.
#[derive(Debug, Clone, Copy)]
pub struct SandboxContext<'g> {
    pub layout: &'g Layout,
    pub keeper: &'g Keeper,
    pub switch: &'g StopSwitch,
}

/// A sandbox that exists and is set up.
#[derive(Debug)]
pub struct DockerSandbox {
    pub(super) cli: Cli,
    pub(super) name: SandboxName,
    pub(super) settle: Duration,
    pub(super) sync_state: SyncState,
}

/// Which changes on the host the sandbox may have missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SyncState {
    /// None: it is stopped, and sees the current files when it starts.
    Stopped,
    /// None, as far as known.
    UpToDate,
    /// Changes since this fingerprint was taken.
    Seen(Fingerprint),
    /// Any: it should have been stopped, and was not.
    NotStopped,
}

impl DockerSandbox {
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The command that the user types to sign in.
    pub fn sign_in(&self) -> String {
        self.cli.user_command("run", &self.name)
    }
}
