//! Policies of the OS sandbox from the settings: for checks and for the sessions of each agent.

use std::path::{Path, PathBuf};

use anyhow::Result;
use engine::isolation::{Backend, NetworkAccess, Sandbox};
use engine::{AgentOptions, CheckSandbox, HookPrograms};
use project::Layout;
use run_options::{CheckIsolation, IsolationRequest, NetworkKind, SessionNetwork};
use settings::Settings;

use super::command_rules::{readable, writable};
use super::hosts;
use super::isolation::Machine;
use crate::command_error::precondition;
use crate::programs;

/// With `isolation.kind: required`, a missing sandbox for the checks is an error.
pub(crate) fn check_sandbox(
    settings: &Settings,
    layout: &Layout,
    machine: &Machine,
) -> Result<CheckSandbox> {
    let isolation = &settings.isolation;
    if isolation.checks == CheckIsolation::None {
        return Ok(CheckSandbox::Off);
    }
    match machine.backend_for_checks().clone() {
        Ok(backend) => {
            let sandbox = for_checks(backend, settings, layout)?;
            Ok(CheckSandbox::Used(Box::new(sandbox)))
        }
        Err(missing) if isolation.kind == IsolationRequest::Required => {
            let what = format!("no sandbox for the checks: {}", missing.why);
            let hint = "set isolation.checks to \"none\" to run them without a sandbox";
            let hint = missing.fix.map_or(hint.to_owned(), |fix| format!("{fix}; or {hint}"));
            Err(precondition(what, hint))
        }
        Err(missing) => Ok(CheckSandbox::Missing(missing)),
    }
}

fn for_checks(backend: Backend, settings: &Settings, layout: &Layout) -> Result<Sandbox> {
    let root = layout.root();
    let isolation = &settings.isolation;
    Ok(Sandbox {
        backend,
        entry: programs::this_program()?,
        readable: readable(settings, root)?,
        writable: writable(settings, root)?,
        folders: Vec::new(),
        project_folders: Vec::new(),
        project_files: Vec::new(),
        copied: Vec::new(),
        environment: isolation.environment.clone(),
        network: match isolation.network.checks {
            NetworkKind::Open => NetworkAccess::Open,
            NetworkKind::Allowlist => NetworkAccess::Allowlist(hosts::rules(isolation, &[], &[])?),
            NetworkKind::None => NetworkAccess::None,
        },
        home: project::env::home(),
        variables: std::env::vars_os().collect(),
    })
}

/// For sessions: adds the agent's files, variables and hosts, and the hooks.
pub(super) fn for_sessions(
    agent: &AgentOptions,
    hooks: Option<&HookPrograms>,
    backend: Backend,
    settings: &Settings,
    layout: &Layout,
) -> Result<Sandbox> {
    let mut sandbox = for_checks(backend, settings, layout)?;
    let needs = agent.agent.needs();
    let own = AgentFiles::of(agent, sandbox.home.as_deref());
    sandbox.readable.extend(own.all(needs.readable));
    sandbox.readable.extend(hooks.iter().flat_map(|hooks| hooks.all()).map(PathBuf::from));
    if agent.program.is_absolute() {
        sandbox.readable.extend(installation(&agent.program));
    }
    sandbox.writable.extend(own.all(needs.writable));
    sandbox.folders = own.all(needs.transcripts).collect();
    sandbox.copied = own.all(needs.copied).collect();
    sandbox.environment.extend(needs.variables.iter().map(|&name| name.to_owned()));
    let isolation = &settings.isolation;
    let by_proxy = needs.proxy && !is_behind_proxy(agent);
    sandbox.network = match (isolation.network.sessions, by_proxy) {
        (SessionNetwork::Open, _) | (SessionNetwork::Auto, false) => NetworkAccess::Open,
        (SessionNetwork::None, _) => NetworkAccess::None,
        (SessionNetwork::Allowlist, _) | (SessionNetwork::Auto, true) => {
            let mut addresses = hosts::model_addresses(agent, own.state().as_deref());
            addresses.extend(hosts::remote_addresses(layout.root()));
            NetworkAccess::Allowlist(hosts::rules(isolation, needs.hosts, &addresses)?)
        }
    };
    Ok(sandbox)
}

/// The runner's proxy connects directly, which fails behind another proxy.
fn is_behind_proxy(agent: &AgentOptions) -> bool {
    let names = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    let mut values = names.iter().filter_map(|name| hosts::variable(agent, name));
    values.any(|value| !value.is_empty())
}

/// Locates the files of an agent for this user.
struct AgentFiles<'o> {
    home: Option<&'o Path>,
    /// The default folder below the home, and the folder that a variable names instead.
    moved: Option<(&'static str, PathBuf)>,
}

impl<'o> AgentFiles<'o> {
    fn of(agent: &AgentOptions, home: Option<&'o Path>) -> Self {
        let moved = agent.agent.needs().moved_by.and_then(|(variable, folder)| {
            let named = hosts::variable(agent, variable).map(PathBuf::from)?;
            named.is_absolute().then_some((folder, named))
        });
        Self { home, moved }
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        let moved = self.moved.as_ref().and_then(|(folder, named)| {
            Some(named.join(Path::new(name).strip_prefix(folder).ok()?))
        });
        moved.or_else(|| Some(self.home?.join(name)))
    }

    fn all(&self, names: &'static [&'static str]) -> impl Iterator<Item = PathBuf> {
        names.iter().filter_map(|name| self.path(name)).flat_map(|path| match path.ends_with("*") {
            true => path.parent().map(entries).unwrap_or_default(),
            false => vec![path],
        })
    }

    /// The folder with the agent's settings, which can name addresses.
    fn state(&self) -> Option<PathBuf> {
        match &self.moved {
            Some((_, named)) => Some(named.clone()),
            None => self.home.map(|home| home.join(".codex")),
        }
    }
}

/// Without `data`, which the agent writes.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| !path.ends_with("data")).collect()
}

/// A program by its name and by its real path; for npm packages, the whole `node_modules`.
fn installation(program: &Path) -> Vec<PathBuf> {
    let real = program.canonicalize().unwrap_or_else(|_| program.to_path_buf());
    let packages = real.ancestors().filter(|folder| folder.ends_with("node_modules")).last();
    let installed = packages.unwrap_or(&real).to_path_buf();
    vec![program.to_path_buf(), installed]
}

#[cfg(test)]
mod tests {
    use assert_fs::TempDir;
    use assert_fs::prelude::*;

    use super::*;

    #[test]
    fn only_the_program_is_visible_except_for_npm_packages() {
        let dir = TempDir::new().unwrap();
        let root = dir.path().canonicalize().unwrap();
        dir.child("agent").touch().unwrap();
        assert_eq!(installation(&root.join("agent")), vec![root.join("agent"); 2]);
        dir.child("lib/node_modules/codex/bin/codex.js").touch().unwrap();
        let script = root.join("lib/node_modules/codex/bin/codex.js");
        let packages = root.join("lib/node_modules");
        assert_eq!(installation(&script), [script.clone(), packages.clone()]);
    }

    #[test]
    fn files_of_an_agent_are_below_home_or_its_variable() {
        let home = Path::new("/home/me");
        let usual = AgentFiles { home: Some(home), moved: None };
        assert_eq!(usual.path(".codex/auth.json").unwrap(), home.join(".codex/auth.json"));
        let moved = AgentFiles { home: Some(home), moved: Some((".codex", "/srv/codex".into())) };
        assert_eq!(moved.path(".codex/auth.json").unwrap(), Path::new("/srv/codex/auth.json"));
        assert_eq!(moved.path(".config/x").unwrap(), home.join(".config/x"));
        let dir = TempDir::new().unwrap();
        for name in ["plugins/cache/x", "plugins/data/x"] {
            dir.child(name).touch().unwrap();
        }
        let real = AgentFiles { home: Some(dir.path()), moved: None };
        let all: Vec<PathBuf> = real.all(&["plugins/*", "settings"]).collect();
        assert_eq!(all, ["plugins/cache", "settings"].map(|name| dir.path().join(name)));
    }
}
