//! The folders that a sandbox sees in addition to the project. A writable one must not contain
//! the user's own settings, the sandbox's hooks or its records.

use std::path::{Path, PathBuf};

use isolation::docker::{Mount, MountAccess};

use super::options::DockerOptions;
use super::records;
use super::state_folder::resolved;
use crate::RunError;

/// Fails if one of them, or the project itself, must not be mounted.
pub(super) fn mounts(
    options: &DockerOptions,
    state: &Path,
    project: &Path,
) -> Result<Vec<Mount>, RunError> {
    let hooks = options.hooks.as_ref().map(|hooks| hooks.folder.as_path());
    let mut shown = vec![(MountSource::StateFolder, Mount::read_write(state))];
    shown.extend(hooks.map(|hooks| (MountSource::StateFolder, Mount::read_only(hooks))));
    shown.extend(options.mounts.iter().map(|mount| (MountSource::WritablePaths, mount.clone())));
    let private = private(options, state, hooks);
    let project = (MountSource::Project, Mount::read_write(project));
    for (whose, mount) in shown.iter().chain([&project]) {
        mount.check().map_err(|refused| whose.refusal(&refused))?;
        let path = resolved(&mount.path);
        let touched = private.iter().find(|(private, _)| {
            mount.access == MountAccess::ReadWrite
                && (path.starts_with(private) || private.starts_with(&path))
        });
        if let Some((_, what)) = touched {
            let path = mount.path.display();
            return Err(whose.refusal(&format!("{path} would expose {what} to the sandbox")));
        }
    }
    Ok(shown.into_iter().map(|(_, mount)| mount).collect())
}

/// Folders that no sandbox may write, each with its description.
fn private(
    options: &DockerOptions,
    state: &Path,
    hooks: Option<&Path>,
) -> Vec<(PathBuf, &'static str)> {
    let own = options.home.join(".claude");
    let mut private = vec![
        // Also by its unresolved name: a process that can write the parent folder can replace the link.
        (resolved(&options.home).join(".claude"), "your own ~/.claude"),
        (resolved(&own), "your own ~/.claude"),
        (records::folder(state), "the records of sandboxes"),
    ];
    private.extend(hooks.map(|hooks| (resolved(hooks), "its own hooks")));
    private
}

/// Where a folder is configured.
#[derive(Debug, Clone, Copy)]
enum MountSource {
    Project,
    StateFolder,
    WritablePaths,
}

impl MountSource {
    fn refusal(self, why: &str) -> RunError {
        let (name, way_out) = match self {
            Self::Project => ("the project", "move the project to another folder"),
            Self::StateFolder => ("isolation.stateDir", "set it to another folder"),
            Self::WritablePaths => {
                ("isolation.writablePaths", "set it to another folder, or remove it")
            }
        };
        RunError::precondition(
            format!("{name}: {why}"),
            format!("{way_out}; `--sandbox=os` and `--no-sandbox` need no Docker"),
        )
    }
}
