//! Finds the programs that a run needs: agents, hooks, git or another SCM, and curl.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use agents::{Agent, SignIn};
use anyhow::{Context, Result};
use engine::{HookPrograms, ScmOptions};
use settings::{Scm, Settings};
use supervise::Keeper;

use crate::command_error::precondition;

/// The folder that a relative path refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base<'p> {
    /// The current folder, for flags.
    Here,
    /// The project root, for settings.
    Root(&'p Path),
}

/// This program as the keeper, which starts programs and ends them with all their children.
pub(crate) fn keeper() -> Result<Keeper> {
    Keeper::this_program().context("cannot find this program on disk")
}

/// The agent's program: from `--agent-program`, else from PATH, else from the usual install folders.
pub(crate) fn agent(
    agent: Agent,
    command: &str,
    named: Option<&Path>,
    base: Base<'_>,
) -> Result<PathBuf> {
    if let Some(named) = named {
        return find_program(named, Base::Here).ok_or_else(|| {
            let what = format!("{} is not an executable program", named.display());
            precondition(what, "pass the path of the agent's program with --agent-program")
        });
    }
    let installed = agent.installed();
    let home = std::env::home_dir();
    let usual = home.iter().flat_map(|home| installed.usual_places.iter().map(|p| home.join(p)));
    // Install folders contain only the program of the known name.
    let is_usual_name = command == agent.name();
    find_program(Path::new(command), base)
        .or_else(|| usual.into_iter().find(|path| is_usual_name && is_program(path)))
        .ok_or_else(|| not_found(agent, command))
}

fn not_found(agent: Agent, command: &str) -> anyhow::Error {
    let what = match command == agent.name() {
        true => format!("{command} is not in PATH"),
        false => format!("{command} is not an executable program"),
    };
    let similar = Some(command).filter(|_| !agent.has_adapter()).and_then(similar_agent);
    let hint = match similar {
        Some(name) => format!("did you mean {name}? If not, pass its path with --agent-program"),
        None => format!(
            "{}, or pass its path with --agent-program; `ralph-loop demo` needs no agent",
            agent.installed().hint
        ),
    };
    precondition(what, hint)
}

/// The known agent with a similar name.
fn similar_agent(command: &str) -> Option<&'static str> {
    settings::nearest(command, &known_agents().map(Agent::name).collect::<Vec<_>>())
}

fn known_agents() -> impl Iterator<Item = Agent> {
    Agent::ALL.iter().copied().filter(|known| known.has_adapter())
}

/// The program that commits and pushes.
pub(crate) fn scm(scm: &Scm, base: Base<'_>) -> Result<ScmOptions> {
    let program = find_program(Path::new(&scm.command), base).ok_or_else(|| {
        precondition(
            format!("{} is not an executable program", scm.command),
            "set scm.command in .ralph/settings.json to a program such as git",
        )
    })?;
    Ok(ScmOptions { program, tasks: scm.tasks.clone() })
}

/// Posts to webhooks. Searched before an agent can change PATH.
pub(crate) fn curl() -> Option<PathBuf> {
    installed("curl")
}

/// The path of a program in PATH.
pub(crate) fn installed(program: &str) -> Option<PathBuf> {
    find_program(Path::new(program), Base::Here)
}

/// Refuses an agent that would wait for a sign-in.
pub(crate) fn refuse_signed_out(agent: Agent, settings: &Settings) -> Result<()> {
    let SignIn::Needed { variable, file, hint } = agent.sign_in() else { return Ok(()) };
    let is_set = settings.env.contains_key(variable)
        || std::env::var_os(variable).is_some_and(|value| !value.is_empty());
    let signed_in = || std::env::home_dir().is_some_and(|home| home.join(file).is_file());
    if is_set || signed_in() {
        return Ok(());
    }
    Err(precondition(format!("{agent} is not signed in"), hint))
}

/// Whether a command of the project can start this program.
pub(crate) fn is_installed(program: &str, root: &Path) -> bool {
    find_program(Path::new(program), Base::Root(root)).is_some()
}

/// Searches a name in PATH. Links are not resolved, because shims depend on the name of the call.
fn find_program(program: &Path, base: Base<'_>) -> Option<PathBuf> {
    let found = if program.components().count() > 1 {
        let path = match base {
            Base::Here => program.to_path_buf(),
            Base::Root(root) => root.join(program),
        };
        Some(path).filter(|path| is_program(path))
    } else {
        in_own_path(program)
    };
    // Sessions run in another folder.
    found.and_then(|path| std::path::absolute(path).ok())
}

fn in_own_path(program: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH");
    let with_suffix = format!("{}{EXE_SUFFIX}", program.display());
    let names = [program.as_os_str(), OsStr::new(&with_suffix)];
    names.into_iter().find_map(|name| in_path(name, path.as_deref()))
}

/// The names of the installed agents.
pub(crate) fn installed_agents() -> Vec<&'static str> {
    let is_installed = |known: &Agent| agent(*known, known.name(), None, Base::Here).is_ok();
    known_agents().filter(is_installed).map(Agent::name).collect()
}

/// The paths of the hooks beside this program, whether they exist or not.
pub(crate) fn hooks() -> Result<HookPrograms> {
    Ok(HookPrograms::in_folder(this_program()?.parent().unwrap_or(Path::new("."))))
}

pub(crate) fn this_program() -> Result<PathBuf> {
    let this = std::env::current_exe().and_then(|path| path.canonicalize());
    this.context("cannot find this program on disk")
}

fn in_path(name: &OsStr, path: Option<&OsStr>) -> Option<PathBuf> {
    std::env::split_paths(path?).map(|folder| folder.join(name)).find(|path| is_program(path))
}

pub(crate) fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    let may_run = |found: &std::fs::Metadata| {
        use std::os::unix::fs::PermissionsExt;
        found.permissions().mode() & 0o111 != 0
    };
    #[cfg(not(unix))]
    let may_run = |_: &std::fs::Metadata| true;
    path.metadata().is_ok_and(|found| found.is_file() && may_run(&found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    fn program(path: &Path) {
        use std::os::unix::fs::PermissionsExt;
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn the_first_executable_in_path_is_used() {
        let dir = assert_fs::TempDir::new().unwrap();
        std::fs::create_dir_all(dir.path().join("a/claude")).unwrap();
        std::fs::create_dir(dir.path().join("b")).unwrap();
        std::fs::write(dir.path().join("b/claude"), "text").unwrap();
        program(&dir.path().join("c/claude"));
        let path = std::env::join_paths(["a", "b", "c"].map(|name| dir.path().join(name))).unwrap();
        let found = in_path(OsStr::new("claude"), Some(&path));
        assert_eq!(found, Some(dir.path().join("c/claude")));
        assert_eq!(in_path(OsStr::new("claude"), None), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_path_in_the_settings_is_relative_to_the_project_root() {
        let dir = assert_fs::TempDir::new().unwrap();
        let there = dir.path().join("scripts/agent.sh");
        program(&there);
        let found = find_program(Path::new("./scripts/agent.sh"), Base::Root(dir.path()));
        assert_eq!(found, Some(there));
        assert_eq!(find_program(Path::new("./scripts/none.sh"), Base::Root(dir.path())), None);
        assert_eq!(
            find_program(Path::new("./scripts/agent.sh"), Base::Here),
            None,
            "not in the current folder"
        );
    }

    /// Version managers link many names to one program.
    #[cfg(unix)]
    #[test]
    fn a_link_to_a_program_is_not_resolved() {
        let dir = assert_fs::TempDir::new().unwrap();
        program(&dir.path().join("shims/shim"));
        let claude = dir.path().join("shims/claude");
        std::os::unix::fs::symlink("shim", &claude).unwrap();
        assert_eq!(find_program(&claude, Base::Here), Some(claude.clone()));
        let relative = Path::new("shims/claude");
        assert_eq!(find_program(relative, Base::Root(dir.path())), Some(claude));
    }

    #[test]
    fn a_mistyped_name_is_suggested_and_an_unknown_one_is_not() {
        assert_eq!(
            (similar_agent("cluade"), similar_agent("opencoed")),
            (Some("claude"), Some("opencode"))
        );
        for unknown in ["aider", "goose", "qwen", "cursor-agent", "my-agent", "./clod/agent.sh"] {
            assert_eq!(similar_agent(unknown), None, "{unknown}");
        }
    }
}
