//! A Docker sandbox for Claude Code: created once per project, set up, and kept.
//!
//! Here: which calls are made and when. The calls themselves are in `isolation::docker`.

mod caller;
mod fingerprint;
mod hooks;
mod mounts;
mod prepare;
mod records;
mod sessions;
mod state_folder;
mod survey;

use std::path::{Path, PathBuf};
use std::time::Duration;

use isolation::docker::{Cli, Mount, SandboxName};
use project::Layout;
use supervise::Keeper;

use crate::StopSwitch;
use fingerprint::Fingerprint;

pub use hooks::SandboxHooks;
pub use survey::survey;

/// Shared with earlier wrappers of Claude Code.
const STATE_FOLDER: &str = ".dclaude_state";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DockerOptions {
    pub programs: Programs,
    pub home: PathBuf,
    /// Credentials and transcripts of Claude Code for all sandboxes.
    pub state_folder: PathBuf,
    /// Mounted in addition to the project and the state folder.
    pub mounts: Vec<Mount>,
    /// The hooks of guarded sessions.
    pub hooks: Option<SandboxHooks>,
    /// How long file changes may take from the sandbox to the host; `None` for the default.
    pub settle: Option<Duration>,
    pub network: DockerNetwork,
}

/// The network access of sessions in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DockerNetwork {
    /// As the policy of Docker Sandboxes allows.
    #[default]
    Unlimited,
    /// These hosts, if the command line can limit a single sandbox.
    Preferably(Vec<String>),
    /// Only these hosts.
    Only(Vec<String>),
}

/// Program names in `PATH`, or paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programs {
    pub sbx: PathBuf,
    pub docker: PathBuf,
}

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
    cli: Cli,
    name: SandboxName,
    settle: Duration,
    sync_state: SyncState,
}

/// Which changes on the host the sandbox may have missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SyncState {
    /// None: it is stopped, and sees the current files when it starts.
    Stopped,
    /// None, as far as known.
    UpToDate,
    /// Changes since this fingerprint was taken.
    Seen(Fingerprint),
    /// Any: it should have been stopped, and was not.
    NotStopped,
}

impl DockerOptions {
    pub fn new(home: &Path) -> Self {
        Self {
            programs: Programs { sbx: "sbx".into(), docker: "docker".into() },
            home: home.to_path_buf(),
            state_folder: home.join(STATE_FOLDER),
            mounts: Vec::new(),
            hooks: None,
            settle: None,
            network: DockerNetwork::Unlimited,
        }
    }
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
