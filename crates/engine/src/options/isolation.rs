//! What stands between an agent and the machine, and where the hooks of its sessions come from.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

use isolation::{Isolation, Obstacle};
use project::GuardScope;

use crate::isolation::Sandbox;
use crate::isolation::docker::DockerOptions;

/// The wall around an agent's sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenIsolation {
    pub chosen: SessionIsolation,
    /// Stronger ones, and why they are not used.
    pub passed_over: Vec<(Isolation, Obstacle)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionIsolation {
    Docker(Box<DockerOptions>),
    Sandbox(Box<Sandbox>),
    /// command-guard alone.
    Guard,
    /// The agent has no hooks.
    Open,
}

impl SessionIsolation {
    /// What is left for command-guard to look after.
    pub(crate) fn scope(&self) -> GuardScope {
        match self {
            Self::Docker(_) | Self::Sandbox(_) => GuardScope::BeyondTheWall,
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

/// What confines the checks of a run. They run code that an agent wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckSandbox {
    Used(Box<Sandbox>),
    /// This machine cannot.
    Missing(Obstacle),
    /// The user does without.
    Off,
}

/// The hooks that guard an agent's sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookPrograms {
    pub stop_guard: PathBuf,
    pub context_monitor: PathBuf,
    pub command_guard: PathBuf,
}

impl HookPrograms {
    /// Those of a folder, whether they are there or not.
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
