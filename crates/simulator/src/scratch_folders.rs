//! A temporary home, project and scratch folder for a real agent.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use tempfile::TempDir;

/// Needed to start other programs.
const NEEDED: &[&str] = if cfg!(windows) {
    &["PATH", "PATHEXT", "SystemRoot", "SystemDrive", "ComSpec", "CLAUDE_CODE_GIT_BASH_PATH"]
} else {
    &["PATH"]
};

/// The folders of one agent, removed when dropped.
#[derive(Debug)]
pub struct ScratchFolders {
    root: TempDir,
}

impl ScratchFolders {
    /// Creates the three folders, all empty.
    pub fn new(prefix: &str) -> io::Result<Self> {
        let folders = Self { root: TempDir::with_prefix(prefix)? };
        for folder in [folders.home(), folders.project(), folders.scratch()] {
            std::fs::create_dir(folder)?;
        }
        Ok(folders)
    }

    /// `HOME` of the agent.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// The project of its sessions.
    pub fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// Temporary files go here.
    pub fn scratch(&self) -> PathBuf {
        self.root.path().join("tmp")
    }

    /// Passes only the search path, so that a proxy or a surrounding agent session has no effect.
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        let inherited =
            NEEDED.iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
        let mut environment: Vec<(OsString, OsString)> = inherited.collect();
        environment.push(("HOME".into(), self.home().into()));
        if cfg!(windows) {
            let home = ["USERPROFILE", "APPDATA", "LOCALAPPDATA"];
            environment.extend(home.map(|name| (name.into(), self.home().into())));
            environment.extend(["TEMP", "TMP"].map(|name| (name.into(), self.scratch().into())));
        }
        environment
    }
}
