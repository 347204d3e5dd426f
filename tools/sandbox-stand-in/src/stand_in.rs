//! For tests: installs the stand-in in a folder, configures it, and reads its recorded calls.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::store::Store;

/// A folder for `PATH` with the stand-in in it.
#[derive(Debug)]
pub struct SandboxStandIn {
    program: PathBuf,
    store: Store,
}

/// A recorded call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxCall {
    /// Without the name of the program.
    pub words: Vec<String>,
    /// Standard input, if the call reads it.
    pub input: String,
}

impl SandboxStandIn {
    /// `name` is `sbx` or `docker`; `built` is the program `sandbox-stand-in`.
    pub fn install(built: &Path, folder: &Path, name: &str) -> io::Result<Self> {
        let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        fs::create_dir_all(folder.join("stand-in"))?;
        #[cfg(unix)]
        std::os::unix::fs::symlink(built, &program)?;
        #[cfg(not(unix))]
        fs::copy(built, &program)?;
        let store = Store::beside(&program);
        Ok(Self { program, store })
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The program that `run` starts, in an environment of its own.
    pub fn agent(&self, program: &Path) -> io::Result<()> {
        fs::write(self.store.file("agent"), program.to_string_lossy().as_bytes())
    }

    /// The output of `version`.
    pub fn version(&self, line: &str) -> io::Result<()> {
        fs::write(self.store.file("version"), line)
    }

    /// Sets the failing step: `version`, `ls`, `create`, `exec-root`, `exec`, `network`, `run`,
    /// `stop` or `rm`; an empty name for none.
    pub fn fail_at(&self, step: &str) -> io::Result<()> {
        fs::write(self.store.file("fail"), step)
    }

    /// The network limits of a sandbox.
    pub fn hosts(&self, sandbox: &str) -> io::Result<Option<Vec<String>>> {
        let all = self.store.all()?;
        Ok(all.into_iter().find(|one| one.name == sandbox).and_then(|one| one.hosts))
    }

    /// The folder that replaces `/home/agent` in a sandbox.
    pub fn home(&self, sandbox: &str) -> PathBuf {
        self.store.home(sandbox)
    }

    /// Calls since the last query.
    pub fn take_calls(&self) -> io::Result<Vec<SandboxCall>> {
        let file = self.store.file("calls.jsonl");
        let recorded = match fs::read_to_string(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read?,
        };
        let _ = fs::remove_file(file);
        recorded.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
    }
}
