//! What stands between an agent and the machine, and where the hooks of its sessions come from.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

use project::GuardScope;
use walls::native::GitSettings;
use walls::{NativeWall, Obstacle, WallKind};

use crate::isolation::OsSandbox;
use crate::walls::docker::DockerWall;

/// The wall around an agent's sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenWall {
    pub wall: Wall,
    /// Stronger ones, and why they are not used.
    pub passed_over: Vec<(WallKind, Obstacle)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wall {
    Docker(Box<DockerWall>),
    Native(NativeWall),
    Os(Box<OsSandbox>),
    /// command-guard alone.
    Guard,
    /// The agent has no hooks.
    Open,
}

impl Wall {
    /// What the agent is told of it.
    pub(crate) fn settings(
        &self,
        git: &GitSettings<'_>,
        unwritable: &[PathBuf],
    ) -> serde_json::Value {
        match self {
            Self::Native(native) => native.settings(git, unwritable),
            Self::Docker(_) | Self::Os(_) | Self::Guard | Self::Open => serde_json::json!({}),
        }
    }

    /// What is left for command-guard to look after. The native sandbox holds commands and not the
    /// tools that write files, and it can read the whole machine.
    pub(crate) fn scope(&self) -> GuardScope {
        match self {
            Self::Docker(_) | Self::Os(_) => GuardScope::BeyondTheWall,
            Self::Native(_) | Self::Guard | Self::Open => GuardScope::Everything,
        }
    }

    pub fn kind(&self) -> WallKind {
        match self {
            Self::Docker(_) => WallKind::Docker,
            Self::Native(_) => WallKind::Native,
            Self::Os(_) => WallKind::Os,
            Self::Guard => WallKind::Guard,
            Self::Open => WallKind::Open,
        }
    }
}

/// What confines the checks of a run. They run code that an agent wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckSandbox {
    Os(Box<OsSandbox>),
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
