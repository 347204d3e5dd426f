//! Options of Docker Sandboxes: the folder with the sign-in, mounts, network, and hooks built for Linux.

use std::path::{Path, PathBuf};

use agents::Agent;
use anyhow::Result;
use engine::HookPrograms;
use engine::isolation::docker::{DockerNetwork, DockerOptions, SandboxHooks};
use isolation::docker::Mount;
use isolation::{Availability, Obstacle};
use run_options::{SessionNetwork, TimeSpan};
use settings::IsolationSettings;

use super::hosts::Address;
use super::{command_rules, hosts};
use crate::command_error;
use crate::programs;

pub(super) fn docker_options(
    isolation: &IsolationSettings,
    writable: &[PathBuf],
    root: &Path,
) -> Result<DockerOptions, Obstacle> {
    let unprotected = "HOME is not set, so personal folders cannot be protected";
    let home = project::env::home().ok_or_else(|| obstacle(unprotected, "set HOME"))?;
    let unknown = |error| command_error::obstacle(&error);
    let state_folder = command_rules::absolute(&isolation.state_dir, root, "isolation.stateDir");
    let state_folder = state_folder.map_err(unknown)?;
    let hooks = linux_hooks(isolation, root).map_err(unknown)?;
    let hooks = hooks.map(|programs| SandboxHooks { folder: beside(&state_folder), programs });
    Ok(DockerOptions {
        state_folder,
        mounts: writable.iter().map(Mount::read_write).collect(),
        hooks,
        settle: isolation.settle.map(TimeSpan::duration),
        network: network(isolation, &[]).map_err(unknown)?,
        ..DockerOptions::new(&home)
    })
}

/// The network of Claude Code in a Docker sandbox; `addresses` are its model endpoints.
pub(super) fn network(
    isolation: &IsolationSettings,
    addresses: &[Address],
) -> Result<DockerNetwork> {
    let hosts = || hosts::for_docker(isolation, Agent::Claude.needs().hosts, addresses);
    Ok(match isolation.network.sessions {
        SessionNetwork::Open => DockerNetwork::Unlimited,
        SessionNetwork::Auto => DockerNetwork::Preferably(hosts()?),
        SessionNetwork::Allowlist => DockerNetwork::Only(hosts()?),
        SessionNetwork::None => DockerNetwork::Only(Vec::new()),
    })
}

pub(super) fn obstacle(why: &str, fix: &str) -> Obstacle {
    Obstacle { why: why.into(), fix: Some(fix.into()) }
}

/// `~/.dclaude_state-hooks`: outside the state folder, which a sandbox can write.
fn beside(state_folder: &Path) -> PathBuf {
    let mut name = state_folder.file_name().unwrap_or_default().to_owned();
    name.push("-hooks");
    state_folder.with_file_name(name)
}

/// Hooks built for Linux: those that the settings name, or on Linux our own.
fn linux_hooks(isolation: &IsolationSettings, root: &Path) -> Result<Option<HookPrograms>> {
    let Some(named) = &isolation.linux_hooks_dir else {
        let own = programs::hooks().ok().filter(|_| cfg!(target_os = "linux"));
        return Ok(own.filter(|hooks| hooks.all().iter().all(|program| program.is_file())));
    };
    let folder = command_rules::absolute(named, root, "isolation.linuxHooksDir")?;
    Ok(Some(HookPrograms {
        stop_guard: folder.join("stop-guard"),
        context_monitor: folder.join("context-monitor"),
        command_guard: folder.join("command-guard"),
    }))
}

/// A sandbox without hooks is used only on request.
pub(super) fn with_hooks(found: Availability, hooks: Option<&SandboxHooks>) -> Availability {
    match (found, hooks) {
        (Availability::Ready { by }, None) => {
            let why = "the sandbox runs Linux, and no hooks for Linux are installed";
            let fix = "set isolation.linuxHooksDir to a folder with hooks for Linux";
            Availability::OnRequest { by, why: obstacle(why, fix) }
        }
        (found, _) => found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_without_hooks_is_used_only_on_request() {
        let ready = Availability::Ready { by: "sbx".into() };
        let found = with_hooks(ready.clone(), None);
        assert!(matches!(found, Availability::OnRequest { .. }), "{found:?}");
        let programs = HookPrograms {
            stop_guard: "/s".into(),
            context_monitor: "/c".into(),
            command_guard: "/g".into(),
        };
        let hooks = SandboxHooks { folder: "/h".into(), programs };
        assert_eq!(with_hooks(ready.clone(), Some(&hooks)), ready);
    }
}
