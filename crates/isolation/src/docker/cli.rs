//! The two command lines of Docker Sandboxes and their words.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use super::setup::{Input, User};
use super::{Mount, SandboxName, Script};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cli {
    pub program: PathBuf,
    pub dialect: Dialect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `sbx`, on its own.
    Sbx(Version),
    /// `docker sandbox`, part of Docker Desktop up to 4.79.
    DockerSandbox,
}

/// The first two numbers; what changed, changed with the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u64,
    pub minor: u64,
}

/// How the sandbox comes by the files of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileSharing {
    /// It sees the files themselves.
    Direct,
    /// It has copies. What changes in the sandbox reaches the host a moment later; what the host does
    /// to a file that the sandbox has seen reaches it only when it is started again.
    Synced,
}

/// `run NAME` became `run --name NAME`.
const NAMES_BY_OPTION: Version = Version { major: 0, minor: 33 };
/// `run` learned `-e`.
const TAKES_VARIABLES: Version = Version { major: 0, minor: 39 };

impl Version {
    /// For one that cannot be read.
    pub const NEWEST: Self = Self { major: u64::MAX, minor: 0 };

    /// From `sbx version: v0.39.0 <commit>`.
    pub fn read(answer: &str) -> Option<Self> {
        answer.split_whitespace().find_map(Self::of_word)
    }

    fn of_word(word: &str) -> Option<Self> {
        let mut numbers = word.trim_start_matches('v').split(['.', '-', '+']);
        let mut next = || numbers.next()?.parse().ok();
        Some(Self { major: next()?, minor: next()? })
    }
}

impl Cli {
    pub fn sharing(&self) -> FileSharing {
        match self.dialect {
            Dialect::Sbx(_) => FileSharing::Direct,
            Dialect::DockerSandbox => FileSharing::Synced,
        }
    }

    /// Whether `run` can hand on a variable of its own environment.
    pub fn takes_variables(&self) -> bool {
        matches!(self.dialect, Dialect::Sbx(version) if version >= TAKES_VARIABLES)
    }

    pub fn version(&self) -> Vec<OsString> {
        self.words(["version"])
    }

    pub fn list_as_json(&self) -> Vec<OsString> {
        self.words(["ls", "--json"])
    }

    pub fn list(&self) -> Vec<OsString> {
        self.words(["ls"])
    }

    /// The agent works in `project`, which comes first.
    pub fn create(&self, name: &SandboxName, project: &Path, mounts: &[Mount]) -> Vec<OsString> {
        let mut words = self.words(["create", "--name", name.as_str(), "claude"]);
        words.push(project.into());
        words.extend(mounts.iter().map(Mount::word));
        words
    }

    /// Starts the sandbox if it is stopped.
    pub fn exec(&self, name: &SandboxName, script: &Script) -> Vec<OsString> {
        let mut words = self.words(["exec"]);
        if script.input == Input::Read {
            words.push("-i".into());
        }
        if script.user == User::Root {
            words.extend(["-u", "root"].map(OsString::from));
        }
        words.extend([name.as_str(), "bash", "-c", script.text, "_"].map(OsString::from));
        words.extend(script.args.iter().cloned());
        words
    }

    /// Starts the sandbox if it is stopped, and the agent in it with what follows these words.
    pub(super) fn run(&self, name: &SandboxName, variables: &[OsString]) -> Vec<OsString> {
        let mut words = self.words(["run"]);
        for variable in variables {
            words.extend(["-e".into(), variable.clone()]);
        }
        if matches!(self.dialect, Dialect::Sbx(version) if version >= NAMES_BY_OPTION) {
            words.push("--name".into());
        }
        words.extend([name.as_str(), "--"].map(OsString::from));
        words
    }

    /// Limits the network of one sandbox to `hosts`. None if the network rules are those of the machine.
    pub fn limit_network(&self, name: &SandboxName, hosts: &[String]) -> Option<Vec<OsString>> {
        if !self.limits_network() {
            return None;
        }
        let mut words = self.words(["network", "proxy", name.as_str(), "--policy", "deny"]);
        words.extend(hosts.iter().flat_map(|host| ["--allow-host".into(), host.into()]));
        Some(words)
    }

    /// Whether the network of one sandbox can be limited. `sbx policy` is for all sandboxes of the machine.
    pub fn limits_network(&self) -> bool {
        self.dialect == Dialect::DockerSandbox
    }

    pub fn stop(&self, name: &SandboxName) -> Vec<OsString> {
        self.words(["stop", name.as_str()])
    }

    /// What people type: `sbx rm NAME`.
    pub fn spoken(&self, command: &str, name: &SandboxName) -> String {
        match (self.dialect, command) {
            (Dialect::Sbx(version), "run") if version >= NAMES_BY_OPTION => {
                format!("sbx run --name {name}")
            }
            (Dialect::Sbx(_), _) => format!("sbx {command} {name}"),
            (Dialect::DockerSandbox, _) => format!("docker sandbox {command} {name}"),
        }
    }

    fn words<const N: usize>(&self, words: [&str; N]) -> Vec<OsString> {
        let first = match self.dialect {
            Dialect::Sbx(_) => None,
            Dialect::DockerSandbox => Some("sandbox"),
        };
        first.into_iter().chain(words).map(OsString::from).collect()
    }
}

/// As people know it.
impl fmt::Display for Cli {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.dialect {
            Dialect::Sbx(_) => "sbx",
            Dialect::DockerSandbox => "docker sandbox",
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
#[path = "cli_tests.rs"]
mod tests;
