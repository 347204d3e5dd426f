//! Claude Code's own sandbox, asked for through `--settings`: what its commands may reach.
//!
//! It confines what runs in a shell, background tasks and monitors included. Hooks and Claude Code's own
//! tools (Read, Write, Edit, WebFetch) stay outside: the rules below keep some of them in check, and
//! command-guard the rest. Not here: whether the machine can do it (`probe`).

mod git_settings;
mod probe;
mod stand_ins;

use std::path::PathBuf;

use serde_json::{Value, json};

pub use git_settings::GitSettings;
use os_sandbox::places::{
    CREDENTIALS, Credential, PACKAGE_CACHES, PACKAGE_HOSTS, SECRET_VARIABLES, STARTED_BY_OTHERS,
};
pub use probe::{Installer, LinuxPart, NamespaceLimit, SandboxProbe, Trial};
pub use stand_ins::{stand_in_names, with_stand_ins};

/// What commands in the sandbox may do beyond working in the project and fetching packages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NativeWall {
    /// Hosts that may be connected to, such as `registry.npmjs.org` or `*.example.com`.
    pub allowed_domains: Vec<String>,
    /// Files and folders outside the project that may be written. They have to exist.
    pub writable: Vec<PathBuf>,
    /// What may be read although it lies among the credentials.
    pub readable: Vec<PathBuf>,
}

impl NativeWall {
    /// What `--settings` has to say. `unwritable` is what commands may not write although it lies in the
    /// project or with its history. Each has to exist: where nothing is, Claude Code lays a device and has
    /// an empty file on the host as long as a command runs. Of several `--settings` only the last one counts, so whatever
    /// else is to be said belongs into the same object.
    pub fn settings(&self, git: &GitSettings<'_>, unwritable: &[PathBuf]) -> Value {
        json!({
            "sandbox": self.sandbox(unwritable),
            "permissions": { "deny": denied_to_tools() },
            "env": git.variables(),
        })
    }

    fn sandbox(&self, unwritable: &[PathBuf]) -> Value {
        let variables = SECRET_VARIABLES.map(|name| json!({ "name": name, "mode": "deny" }));
        json!({
            "enabled": true,
            // Else commands would run unconfined where a part of the sandbox is missing.
            "failIfUnavailable": true,
            // Else a command could ask to run outside. It is also what makes Claude Code ignore
            // settings of the project, which an agent may have written, that would loosen all this.
            "allowUnsandboxedCommands": false,
            "network": {
                "allowedDomains": joined(&PACKAGE_HOSTS, &self.allowed_domains),
                // Else a host that is not on the list is a question, and nobody is there to answer.
                "strictAllowlist": true,
                // Tests start servers. Linux gives each command a loopback of its own anyway.
                "allowLocalBinding": true,
            },
            "filesystem": {
                "allowWrite": joined(&PACKAGE_CACHES, &names(&self.writable)),
                "denyWrite": names(unwritable),
                "allowRead": names(&self.readable),
            },
            "credentials": { "envVars": variables },
        })
    }
}

/// A rule about Read closes the place to commands too.
fn denied_to_tools() -> Vec<String> {
    let reads = CREDENTIALS.iter().map(|credential| match credential {
        Credential::File(path) => format!("Read({path})"),
        Credential::Folder(path) => format!("Read({path}/**)"),
    });
    let edits = STARTED_BY_OTHERS.iter().map(|path| format!("Edit(./{path})"));
    reads.chain(edits).collect()
}

fn joined(always: &[&str], more: &[String]) -> Vec<String> {
    let mut all: Vec<String> = always.iter().map(|each| (*each).to_owned()).collect();
    for each in more {
        if !all.contains(each) {
            all.push(each.clone());
        }
    }
    all
}

fn names(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests;
