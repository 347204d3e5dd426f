//! The isolation of agents and checks, and the hooks of an agent's sessions.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

use isolation::{Isolation, Obstacle};
use project::GuardScope;

use crate::isolation::Sandbox;
use crate::isolation::docker::DockerOptions;

/// The isolation of an agent's sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenIsolation {
    pub chosen: SessionIsolation,
    /// Stronger kinds, and why they are not used.
    pub passed_over: Vec<(Isolation, Obstacle)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionIsolation {
    Docker(Box<DockerOptions>),
    Sandbox(Box<Sandbox>),
    /// command-guard only.
    Guard,
    /// The agent has no hooks.
    Open,
}

impl SessionIsolation {
    /// What command-guard still must protect.
    pub(crate) fn scope(&self) -> GuardScope {
        match self {
            Self::Docker(_) | Self::Sandbox(_) => GuardScope::Sandboxed,
            Self::Guard | Self::Open => GuardScope::Everything,
        }
    }

    pub fn kind(&self) -> Isolation {
        match self {
            Self::Docker(_) => Isolation::Docker,
            Self::Sandbox(sandbox) => sandbox.backend.kind(),
            Self::Guard => Isolation::Guard,
            Self::Open => Isolation::Open,
        }
    }
}

/// The isolation of the checks, which run code that an agent wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckSandbox {
    Used(Box<Sandbox>),
    /// Not available on this machine.
    Missing(Obstacle),
    /// Turned off by the user.
    Off,
}

/// The hook programs of an agent's sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookPrograms {
    pub stop_guard: PathBuf,
    pub context_monitor: PathBuf,
    pub command_guard: PathBuf,
}

impl HookPrograms {
    /// The programs in a folder, whether they exist or not.
    pub fn in_folder(folder: &Path) -> Self {
        let program = |name: &str| folder.join(format!("{name}{EXE_SUFFIX}"));
        Self {
            stop_guard: program("stop-guard"),
            context_monitor: program("context-monitor"),
            command_guard: program("command-guard"),
        }
    }

    pub fn all(&self) -> [&Path; 3] {
        [&self.stop_guard, &self.context_monitor, &self.command_guard]
    }
}
