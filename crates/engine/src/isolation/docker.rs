//! A sandbox of Docker's around Claude Code: made once for a project, set up, and kept.
//!
//! Here is what is asked of it and when; how it is asked is in `isolation::docker`.

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
pub use sessions::SessionEnd;
pub use survey::survey;

/// The name that others before us gave it.
const STATE_FOLDER: &str = ".dclaude_state";

/// What a user can set about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DockerOptions {
    pub programs: Programs,
    /// The user's home.
    pub home: PathBuf,
    /// Where Claude Code keeps its credentials and transcripts for all sandboxes.
    pub state_folder: PathBuf,
    /// What the sandbox sees beside the project and the state folder.
    pub mounts: Vec<Mount>,
    /// What its sessions call, where they are guarded.
    pub hooks: Option<SandboxHooks>,
    /// How long files may take from the sandbox to the host; None for as long as it is known to take.
    pub settle: Option<Duration>,
    pub network: DockerNetwork,
}

/// What sessions in the sandbox reach of the network.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DockerNetwork {
    /// What the rules of Docker Sandboxes allow.
    #[default]
    Unlimited,
    /// These hosts, where the command line can limit one sandbox to them.
    Preferably(Vec<String>),
    /// These hosts and no others.
    Only(Vec<String>),
}

/// Names to be found in `PATH`, or paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programs {
    pub sbx: PathBuf,
    pub docker: PathBuf,
}

/// The run that a sandbox is for.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'g> {
    pub layout: &'g Layout,
    pub keeper: &'g Keeper,
    pub switch: &'g StopSwitch,
}

/// A sandbox that is there and set up.
#[derive(Debug)]
pub struct DockerSandbox {
    cli: Cli,
    name: SandboxName,
    settle: Duration,
    standing: Standing,
}

/// What the sandbox may have missed of what happened on the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Nothing: it is stopped, and sees what is there when it is started.
    Stopped,
    /// Nothing, as far as anybody can say.
    UpToDate,
    /// What happened since this was taken.
    Seen(Fingerprint),
    /// Anything: it should have been stopped, and was not.
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

    /// What people type to sign in.
    pub fn sign_in(&self) -> String {
        self.cli.spoken("run", &self.name)
    }
}
