//! Finds the programs a run needs: the agent, and the hooks that guard its sessions.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use agents::{Agent, SignIn};
use anyhow::{Context, Result};
use engine::HookPrograms;
use settings::Settings;
use supervise::Keeper;

use crate::command_error::precondition;

/// From where a relative path is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base<'p> {
    /// Where the user is, as a flag is meant.
    Here,
    /// The project's root, as a setting is.
    Root(&'p Path),
}

/// This program, as the one that starts others and ends them with all that they started.
pub(crate) fn keeper() -> Result<Keeper> {
    Keeper::this_program().context("cannot find this program on disk")
}

/// The agent: where the user says it is, else by its command in PATH, else where installers put it.
pub(crate) fn agent(
    agent: Agent,
    command: &str,
    named: Option<&Path>,
    base: Base<'_>,
) -> Result<PathBuf> {
    if let Some(named) = named {
        return by_name(named, Base::Here).ok_or_else(|| {
            let what = format!("{} is not a program that can be run", named.display());
            precondition(what, "--agent-program takes the path of the agent's program")
        });
    }
    let installed = agent.installed();
    let home = std::env::home_dir();
    let usual = home.iter().flat_map(|home| installed.usual_places.iter().map(|p| home.join(p)));
    // Those places are where the program of that name is; a path of the user's own is not.
    let is_usual_name = command == agent.name();
    by_name(Path::new(command), base)
        .or_else(|| usual.into_iter().find(|path| is_usual_name && is_program(path)))
        .ok_or_else(|| not_found(agent, command))
}

fn not_found(agent: Agent, command: &str) -> anyhow::Error {
    let what = match command == agent.name() {
        true => format!("{command} is not in PATH"),
        false => format!("{command} is not a program that can be run"),
    };
    let slip = Some(command).filter(|_| !agent.has_adapter()).and_then(meant);
    let hint = match slip {
        Some(name) => format!("did you mean {name}? If not, name its path with --agent-program"),
        None => format!(
            "{}, or name its path with --agent-program; `ralph-loop demo` works without it",
            agent.installed().hint
        ),
    };
    precondition(what, hint)
}

/// The agent whose name was mistyped.
fn meant(command: &str) -> Option<&'static str> {
    let programs = Agent::ALL.into_iter().filter(|known| known.has_adapter());
    settings::nearest(command, &programs.map(Agent::name).collect::<Vec<_>>())
}

/// The program that commits and pushes.
pub(crate) fn scm(command: &str, base: Base<'_>) -> Result<PathBuf> {
    by_name(Path::new(command), base).ok_or_else(|| {
        precondition(
            format!("{command} is not a program that can be run"),
            "scm.command in .ralph/settings.json names the program, such as git",
        )
    })
}

/// What posts to webhooks. Found before an agent can put anything into PATH.
pub(crate) fn curl() -> Option<PathBuf> {
    by_name(Path::new("curl"), Base::Here)
}

/// An agent that would wait for somebody to sign in is not started.
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

/// A name is looked up in PATH. Links stay as they are: what stands in for a program may go by the name
/// it is called by.
fn by_name(program: &Path, base: Base<'_>) -> Option<PathBuf> {
    let found = if program.components().count() > 1 {
        let path = match base {
            Base::Here => program.to_path_buf(),
            Base::Root(root) => root.join(program),
        };
        Some(path).filter(|path| is_program(path))
    } else {
        in_own_path(program)
    };
    // A session runs elsewhere.
    found.and_then(|path| std::path::absolute(path).ok())
}

fn in_own_path(program: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH");
    let as_given = in_path(program.as_os_str(), path.as_deref());
    as_given.or_else(|| {
        let name = format!("{}{EXE_SUFFIX}", program.display());
        in_path(OsStr::new(&name), path.as_deref())
    })
}

/// The agents that a run would find here, by their names.
pub(crate) fn installed_agents() -> Vec<&'static str> {
    let by_name = Agent::ALL.into_iter().filter(|known| known.has_adapter());
    by_name
        .filter(|known| agent(*known, known.name(), None, Base::Here).is_ok())
        .map(Agent::name)
        .collect()
}

/// The hooks that belong beside this program, whether they are there or not.
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

#[cfg(unix)]
pub(crate) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub(crate) fn is_program(path: &Path) -> bool {
    path.is_file()
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
    fn the_first_program_in_path_is_taken_and_files_that_cannot_run_are_not() {
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
    fn a_path_in_the_settings_is_meant_from_the_projects_root() {
        let dir = assert_fs::TempDir::new().unwrap();
        let there = dir.path().join("scripts/agent.sh");
        program(&there);
        let found = by_name(Path::new("./scripts/agent.sh"), Base::Root(dir.path()));
        assert_eq!(found, Some(there));
        assert_eq!(by_name(Path::new("./scripts/none.sh"), Base::Root(dir.path())), None);
        assert_eq!(by_name(Path::new("./scripts/agent.sh"), Base::Here), None, "it is not here");
    }

    /// Version managers put one program in the place of many.
    #[cfg(unix)]
    #[test]
    fn a_program_goes_by_the_name_that_was_given() {
        let dir = assert_fs::TempDir::new().unwrap();
        program(&dir.path().join("shims/shim"));
        let claude = dir.path().join("shims/claude");
        std::os::unix::fs::symlink("shim", &claude).unwrap();
        assert_eq!(by_name(&claude, Base::Here), Some(claude.clone()));
        let relative = Path::new("shims/claude");
        assert_eq!(by_name(relative, Base::Root(dir.path())), Some(claude));
    }

    #[test]
    fn a_slip_of_a_name_is_told_from_a_name_that_nobody_knows() {
        assert_eq!((meant("cluade"), meant("opencoed")), (Some("claude"), Some("opencode")));
        for unknown in ["aider", "goose", "qwen", "cursor-agent", "my-agent", "./clod/agent.sh"] {
            assert_eq!(meant(unknown), None, "{unknown}");
        }
    }
}
