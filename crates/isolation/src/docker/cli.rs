//! The two command-line programs of Docker Sandboxes and their arguments.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use derive_more::Display;

use super::setup::User;
use super::{Mount, SandboxName, Script};

#[derive(Debug, Clone, PartialEq, Eq, Display)]
#[display("{dialect}")]
pub struct Cli {
    pub program: PathBuf,
    pub dialect: CliDialect,
}

/// Displays the program name that users know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum CliDialect {
    /// The standalone program `sbx`.
    #[display("sbx")]
    Sbx(Version),
    /// `docker sandbox`, part of Docker Desktop up to 4.79.
    #[display("docker sandbox")]
    DockerSandbox,
}

/// Only major and minor: no option changed with a patch version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Display)]
#[display("{major}.{minor}")]
pub struct Version {
    pub major: u64,
    pub minor: u64,
}

/// How the sandbox accesses the files of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileSharing {
    /// It mounts them.
    Direct,
    /// It has copies. Changes in the sandbox reach the host with a delay. Changes on the host to a file that the
    /// sandbox has read arrive only after a restart.
    Synced,
}

/// From this version on `run NAME` is `run --name NAME`.
const NAMES_BY_OPTION: Version = Version { major: 0, minor: 33 };
/// The first version whose `run` has `-e`.
const TAKES_VARIABLES: Version = Version { major: 0, minor: 39 };

impl Version {
    /// Assumed if the version cannot be parsed.
    pub const NEWEST: Self = Self { major: u64::MAX, minor: 0 };

    /// Parses `sbx version: v0.39.0 <commit>`.
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
            CliDialect::Sbx(_) => FileSharing::Direct,
            CliDialect::DockerSandbox => FileSharing::Synced,
        }
    }

    /// Whether `run` can pass on a variable of its own environment.
    pub fn takes_variables(&self) -> bool {
        matches!(self.dialect, CliDialect::Sbx(version) if version >= TAKES_VARIABLES)
    }

    pub fn version(&self) -> Vec<OsString> {
        self.arguments(["version"])
    }

    pub fn list_as_json(&self) -> Vec<OsString> {
        self.arguments(["ls", "--json"])
    }

    pub fn list(&self) -> Vec<OsString> {
        self.arguments(["ls"])
    }

    /// The agent works in `project`, the first mount.
    pub fn create(&self, name: &SandboxName, project: &Path, mounts: &[Mount]) -> Vec<OsString> {
        let mut arguments = self.arguments(["create", "--name", name.as_str(), "claude"]);
        arguments.push(project.into());
        arguments.extend(mounts.iter().map(Mount::word));
        arguments
    }

    /// Starts the sandbox if it is stopped.
    pub fn exec(&self, name: &SandboxName, script: &Script) -> Vec<OsString> {
        let mut arguments = self.arguments(["exec"]);
        if script.reads_stdin {
            arguments.push("-i".into());
        }
        if script.user == User::Root {
            arguments.extend(["-u", "root"].map(OsString::from));
        }
        arguments.extend([name.as_str(), "bash", "-c", script.text, "_"].map(OsString::from));
        arguments.extend(script.args.iter().cloned());
        arguments
    }

    /// Starts the sandbox if it is stopped, and runs the agent with the arguments appended to these.
    pub(super) fn run(&self, name: &SandboxName, variables: &[OsString]) -> Vec<OsString> {
        let mut arguments = self.arguments(["run"]);
        for variable in variables {
            arguments.extend(["-e".into(), variable.clone()]);
        }
        arguments.extend(self.name_option().map(OsString::from));
        arguments.extend([name.as_str(), "--"].map(OsString::from));
        arguments
    }

    /// Limits the network of one sandbox to `hosts`. `None` if this program only has machine-wide rules.
    pub fn limit_network(&self, name: &SandboxName, hosts: &[String]) -> Option<Vec<OsString>> {
        if !self.limits_network() {
            return None;
        }
        let mut arguments = self.arguments(["network", "proxy", name.as_str(), "--policy", "deny"]);
        arguments.extend(hosts.iter().flat_map(|host| ["--allow-host".into(), host.into()]));
        Some(arguments)
    }

    /// Whether the network of one sandbox can be limited. `sbx policy` applies to all sandboxes of the machine.
    pub fn limits_network(&self) -> bool {
        self.dialect == CliDialect::DockerSandbox
    }

    pub fn stop(&self, name: &SandboxName) -> Vec<OsString> {
        self.arguments(["stop", name.as_str()])
    }

    /// The command as a user types it: `sbx rm NAME`.
    pub fn user_command(&self, command: &str, name: &SandboxName) -> String {
        let option = self.name_option().filter(|_| command == "run");
        let option = option.map(|option| format!("{option} ")).unwrap_or_default();
        format!("{self} {command} {option}{name}")
    }

    /// The option of `run` before a name.
    fn name_option(&self) -> Option<&'static str> {
        let has_it = matches!(self.dialect, CliDialect::Sbx(version) if version >= NAMES_BY_OPTION);
        has_it.then_some("--name")
    }

    fn arguments<const N: usize>(&self, arguments: [&str; N]) -> Vec<OsString> {
        let first = match self.dialect {
            CliDialect::Sbx(_) => None,
            CliDialect::DockerSandbox => Some("sandbox"),
        };
        first.into_iter().chain(arguments).map(OsString::from).collect()
    }
}

#[cfg(test)]
mod tests;
