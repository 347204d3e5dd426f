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

#[derive(Debug)]
pub(crate) struct ScratchFolders {
    root: TempDir,
}

impl ScratchFolders {
    pub(crate) fn new(prefix: &str) -> io::Result<Self> {
        let place = Self { root: TempDir::with_prefix(prefix)? };
        for folder in [place.home(), place.project(), place.scratch()] {
            std::fs::create_dir(folder)?;
        }
        Ok(place)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// Temporary files go here.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.root.path().join("tmp")
    }

    /// Passes only the search path, so that a proxy or a surrounding agent session has no effect.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
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
