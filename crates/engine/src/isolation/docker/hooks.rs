//! The hooks in a sandbox: copies of the programs in their own folder, which the sandbox can read but
//! not write. The sandbox may not see the folder where the user installed the originals.

use std::path::{Path, PathBuf};

use crate::RunError;
use crate::hooks::{HookPrograms, guard_plugin};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxHooks {
    /// The plugin folder; host and sandbox use the same path.
    pub folder: PathBuf,
    /// Linux programs, because a sandbox runs Linux.
    pub programs: HookPrograms,
}

impl SandboxHooks {
    /// Installs missing or outdated files.
    pub(super) fn provide(&self) -> Result<(), RunError> {
        let HookPrograms { stop_guard, context_monitor, command_guard } = &self.programs;
        let copies = HookPrograms {
            stop_guard: self.copy(stop_guard)?,
            context_monitor: self.copy(context_monitor)?,
            command_guard: self.copy(command_guard)?,
        };
        guard_plugin::write_plugin(&copies, &self.folder)
    }

    /// Replaced atomically, because a session in another sandbox may be running the old one.
    fn copy(&self, program: &Path) -> Result<PathBuf, RunError> {
        let bin = self.folder.join("bin");
        let copy = bin.join(program.file_name().unwrap_or_default());
        let disk = |error| RunError::Disk { path: copy.display().to_string(), error };
        let bytes = std::fs::read(program).map_err(RunError::disk(program.display()))?;
        if std::fs::read(&copy).is_ok_and(|there| there == bytes) {
            return Ok(copy);
        }
        std::fs::create_dir_all(&bin).map_err(disk)?;
        project::replace_whole(&copy, &bytes).map_err(disk)?;
        make_runnable(&copy).map_err(disk)?;
        Ok(copy)
    }
}

#[cfg(unix)]
fn make_runnable(program: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_runnable(_program: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn changed_programs_are_copied_again_and_stay_executable() {
        let dir = assert_fs::TempDir::new().unwrap();
        let program = |name: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, name).unwrap();
            path
        };
        let hooks = SandboxHooks {
            folder: dir.path().join("hooks here"),
            programs: HookPrograms {
                stop_guard: program("stop-guard"),
                context_monitor: program("context-monitor"),
                command_guard: program("command-guard"),
            },
        };
        hooks.provide().unwrap();
        let copy = hooks.folder.join("bin/command-guard");
        assert_eq!(copy.metadata().unwrap().permissions().mode() & 0o777, 0o755);
        let declared = std::fs::read_to_string(hooks.folder.join("hooks/hooks.json")).unwrap();
        assert!(declared.contains("hooks here/bin/stop-guard"), "{declared}");
        std::fs::write(&hooks.programs.command_guard, "new").unwrap();
        hooks.provide().unwrap();
        assert_eq!(std::fs::read_to_string(copy).unwrap(), "new");
    }
}
