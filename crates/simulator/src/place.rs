//! Where a real agent lives in a test: a home, a project and a scratch folder that nobody else has,
//! removed when dropped.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use tempfile::TempDir;

#[derive(Debug)]
pub(crate) struct Place {
    root: TempDir,
}

impl Place {
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

    /// Short-lived files go here instead of the machine's own folder for them.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.root.path().join("tmp")
    }

    /// Nothing of ours but the search path goes in, so neither a proxy nor a session of an agent
    /// around the test can be felt.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        let mut environment = vec![("HOME".into(), self.home().into())];
        if let Some(path) = std::env::var_os("PATH") {
            environment.push(("PATH".into(), path));
        }
        environment
    }
}
