//! The isolation of agents and checks, and the hooks of an agent's sessions.

use std::path::PathBuf;

use isolation::docker::Mount;
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
    pub(crate) fn make_readable(&mut self, folders: &[PathBuf]) {
        match self {
            Self::Docker(docker) => docker.mounts.extend(folders.iter().map(Mount::read_only)),
            Self::Sandbox(sandbox) => sandbox.readable.extend_from_slice(folders),
            Self::Guard | Self::Open => {}
        }
    }

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

impl CheckSandbox {
    pub(crate) fn make_readable(&mut self, folders: &[PathBuf]) {
        if let Self::Used(sandbox) = self {
            sandbox.readable.extend_from_slice(folders);
        }
    }
}
