//! What a sandbox is shown beside the project, and whether it may be: what it can write must not lead to
//! the user's own settings, to its own hooks or to what is remembered of it.

use std::path::{Path, PathBuf};

use isolation::docker::{Access, Mount};

use super::state_folder::resolved;
use super::{DockerOptions, records};
use crate::RunError;

/// Refused if one of them, or the project itself, cannot be shown.
pub(super) fn mounts(
    options: &DockerOptions,
    state: &Path,
    project: &Path,
) -> Result<Vec<Mount>, RunError> {
    let hooks = options.hooks.as_ref().map(|hooks| hooks.folder.as_path());
    let mut shown = vec![(Whose::StateFolder, Mount::read_write(state))];
    shown.extend(hooks.map(|hooks| (Whose::StateFolder, Mount::read_only(hooks))));
    shown.extend(options.mounts.iter().map(|mount| (Whose::WritablePaths, mount.clone())));
    let private = private(options, state, hooks);
    let project = (Whose::Project, Mount::read_write(project));
    for (whose, mount) in shown.iter().chain([&project]) {
        mount.check().map_err(|refused| whose.refusal(&refused.to_string()))?;
        let path = resolved(&mount.path);
        let touched = private.iter().find(|(private, _)| {
            mount.access == Access::ReadWrite
                && (path.starts_with(private) || private.starts_with(&path))
        });
        if let Some((_, what)) = touched {
            let path = mount.path.display();
            return Err(whose.refusal(&format!("{path} would open {what} to the sandbox")));
        }
    }
    Ok(shown.into_iter().map(|(_, mount)| mount).collect())
}

/// What no sandbox may write, and what it is for people.
fn private(
    options: &DockerOptions,
    state: &Path,
    hooks: Option<&Path>,
) -> Vec<(PathBuf, &'static str)> {
    let own = options.home.join(".claude");
    let mut private = vec![
        // As it is named, too: whoever can write the folder around a link can put another in its place.
        (resolved(&options.home).join(".claude"), "your own ~/.claude"),
        (resolved(&own), "your own ~/.claude"),
        (records::folder(state), "what is remembered of sandboxes"),
    ];
    private.extend(hooks.map(|hooks| (resolved(hooks), "its own hooks")));
    private
}

/// Who named a folder.
#[derive(Debug, Clone, Copy)]
enum Whose {
    Project,
    StateFolder,
    WritablePaths,
}

impl Whose {
    fn refusal(self, why: &str) -> RunError {
        let (name, way_out) = match self {
            Self::Project => ("the project", "move the project to another folder"),
            Self::StateFolder => ("isolation.stateDir", "name another folder there"),
            Self::WritablePaths => {
                ("isolation.writablePaths", "name another folder there, or none")
            }
        };
        RunError::precondition(
            format!("{name}: {why}"),
            format!("{way_out}; `--sandbox=os` and `--no-sandbox` do without docker"),
        )
    }
}
