//! Options of a Docker sandbox.

use std::path::{Path, PathBuf};
use std::time::Duration;

use isolation::docker::Mount;

use super::hooks::SandboxHooks;

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
