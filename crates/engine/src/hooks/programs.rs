//! The hook programs of a run.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

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
