//! State of the stand-in, in the folder `stand-in` beside the program.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::stand_in::SandboxCall;

#[derive(Debug, Clone)]
pub(crate) struct Store {
    folder: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sandbox {
    pub(crate) name: String,
    pub(crate) agent: String,
    pub(crate) status: SandboxStatus,
    /// The first is the working folder of the agent.
    pub(crate) workspaces: Vec<String>,
    /// Allowed hosts. Hosts are added and never removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hosts: Option<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SandboxStatus {
    Running,
    Stopped,
}

impl SandboxStatus {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
        }
    }
}

impl Store {
    pub(crate) fn beside(program: &Path) -> Self {
        Self { folder: program.with_file_name("stand-in") }
    }

    /// The path of one entry.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Replaces `/home/agent`.
    pub(crate) fn home(&self, sandbox: &str) -> PathBuf {
        self.folder.join("homes").join(sandbox)
    }

    pub(crate) fn setting(&self, name: &str) -> Option<String> {
        Some(fs::read_to_string(self.file(name)).ok()?.trim().to_owned())
    }

    pub(crate) fn is_to_fail(&self, step: &str) -> io::Result<bool> {
        Ok(self.setting("fail").is_some_and(|steps| steps.lines().any(|line| line == step)))
    }

    pub(crate) fn record(&self, words: &[OsString], input: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let words = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let call = SandboxCall { words, input: String::from_utf8_lossy(input).into_owned() };
        let mut line = serde_json::to_vec(&call)?;
        line.push(b'\n');
        File::options().append(true).create(true).open(self.file("calls.jsonl"))?.write_all(&line)
    }

    pub(crate) fn all(&self) -> io::Result<Vec<Sandbox>> {
        let Ok(entries) = fs::read_dir(self.file("sandboxes")) else { return Ok(Vec::new()) };
        let read = |entry: io::Result<fs::DirEntry>| {
            Ok(serde_json::from_slice(&fs::read(entry?.path())?)?)
        };
        let mut all: Vec<Sandbox> = entries.map(read).collect::<io::Result<_>>()?;
        all.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(all)
    }

    pub(crate) fn save(&self, sandbox: &Sandbox) -> io::Result<()> {
        fs::create_dir_all(self.file("sandboxes"))?;
        fs::create_dir_all(self.home(&sandbox.name))?;
        fs::write(self.sandbox_file(&sandbox.name), serde_json::to_vec(sandbox)?)
    }

    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.sandbox_file(name))?;
        fs::remove_dir_all(self.home(name))
    }

    fn sandbox_file(&self, name: &str) -> PathBuf {
        self.file("sandboxes").join(format!("{name}.json"))
    }
}
