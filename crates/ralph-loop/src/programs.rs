//! Finds the programs a run needs: the agent, and the hooks that guard its sessions.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use engine::GuardSource;

use crate::command_error::CommandError;

const AGENT: &str = "claude";

/// Where Claude Code's own installers put it, below the home folder.
const USUAL_PLACES: [&str; 2] = [".local/bin/claude", ".claude/local/claude"];

/// The agent: the one that was named, else the first in PATH, else where installers put it.
pub(crate) fn agent(named: Option<&Path>) -> Result<PathBuf, CommandError> {
    if let Some(named) = named {
        let found = if named.components().count() > 1 {
            named.canonicalize().ok().filter(|path| is_program(path))
        } else {
            in_path(named.as_os_str(), std::env::var_os("PATH").as_deref())
        };
        return found.ok_or_else(|| {
            let what = format!("{} is not a program that can be run", named.display());
            CommandError::precondition(what, "--agent-program takes the path of the claude program")
        });
    }
    let name = format!("{AGENT}{EXE_SUFFIX}");
    let home = std::env::home_dir();
    let usual = home.iter().flat_map(|home| USUAL_PLACES.map(|place| home.join(place)));
    in_path(OsStr::new(&name), std::env::var_os("PATH").as_deref())
        .or_else(|| usual.into_iter().find(|path| is_program(path)))
        .ok_or_else(|| {
            CommandError::precondition(
                "Claude Code (claude) is not in PATH",
                "install it from https://claude.com/claude-code, or name it with --agent-program; \
                 `ralph-loop demo` works without it",
            )
        })
}

/// The plugin this program was started from, else the hooks that lie beside it.
pub(crate) fn guard() -> Result<GuardSource, CommandError> {
    let this = this_program()?;
    if let Some(plugin) = plugin_around(&this) {
        return Ok(GuardSource::Plugin(plugin));
    }
    Ok(GuardSource::Programs {
        stop_guard: beside(&this, "stop-guard")?,
        context_monitor: beside(&this, "context-monitor")?,
    })
}

/// The simulated agent of the demo.
pub(crate) fn simulated_agent() -> Result<PathBuf, CommandError> {
    beside(&this_program()?, "simulated-agent")
}

fn this_program() -> Result<PathBuf, CommandError> {
    let this = std::env::current_exe().and_then(|path| path.canonicalize());
    this.map_err(CommandError::io("find this program on disk"))
}

fn beside(this: &Path, name: &str) -> Result<PathBuf, CommandError> {
    let path = this.with_file_name(format!("{name}{EXE_SUFFIX}"));
    if is_program(&path) {
        return Ok(path);
    }
    Err(CommandError::precondition(
        format!("{name} is missing beside {}", this.display()),
        "build all programs: `cargo build --release --workspace` (cargo run -p ralph-loop builds \
         only this one)",
    ))
}

/// A plugin's own programs lie below its root. Its hooks are used if they can be: a development
/// build serves them by `bin/`, which knows where the build is.
fn plugin_around(this: &Path) -> Option<PathBuf> {
    let root = this.ancestors().skip(1).find(|folder| {
        folder.join(".claude-plugin/plugin.json").is_file()
            && folder.join("hooks/hooks.json").is_file()
            && folder.join("bin/stop-guard").is_file()
    })?;
    // The same build of the hook has to be there, or the plugin would not find it.
    is_program(&this.with_file_name(format!("stop-guard{EXE_SUFFIX}"))).then(|| root.to_path_buf())
}

fn in_path(name: &OsStr, path: Option<&OsStr>) -> Option<PathBuf> {
    std::env::split_paths(path?).map(|folder| folder.join(name)).find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
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
    fn the_plugin_is_found_from_its_programs() {
        let dir = assert_fs::TempDir::new().unwrap();
        let this = dir.path().join("target/release/ralph-loop");
        program(&this);
        for name in [".claude-plugin/plugin.json", "hooks/hooks.json", "bin/stop-guard"] {
            program(&dir.path().join(name));
        }
        assert_eq!(plugin_around(&this), None, "its hook is not built");
        program(&dir.path().join("target/release/stop-guard"));
        assert_eq!(plugin_around(&this).as_deref(), Some(dir.path()));
        assert_eq!(plugin_around(Path::new("/usr/bin/ralph-loop")), None);
    }
}
