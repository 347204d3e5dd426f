//! The folder with Claude Code's state for its sandboxes. An agent can write in it, so the runner trusts
//! nothing in it and follows no link when it writes.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use isolation::docker::OffLimits;
use serde_json::{Map, Value};

use super::options::DockerOptions;
use crate::{RunError, own_file};

/// Claude Code's own file grows with the number of projects.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Claude Code rejects an empty file.
const NEW: &str = "{}\n";

/// Its path with every link resolved, even if it does not exist. Fails if the sandbox would see the user's
/// own files.
pub(super) fn locate(options: &DockerOptions, project: &Path) -> Result<PathBuf, RunError> {
    let state = resolved(&options.state_folder);
    let (home, project) = (resolved(&options.home), resolved(project));
    let own_settings = resolved(&options.home.join(".claude"));
    let off_limits = OffLimits { home: &home, own_settings: &own_settings, project: &project };
    if off_limits.project_is_private() {
        return Err(RunError::precondition(
            "the project folder contains your own ~/.claude, which the sandbox would see",
            "move the project to a folder of its own",
        ));
    }
    match off_limits.check(&state) {
        Ok(()) => Ok(state),
        Err(why) => Err(RunError::precondition(
            format!("{} cannot be the sandbox state folder: {why}", state.display()),
            "set isolation.stateDir to an empty folder, or remove it for the default",
        )),
    }
}

/// Creates what is missing.
pub(super) fn provide(state: &Path, warn: &mut dyn FnMut(String)) -> Result<(), RunError> {
    let disk = |error| RunError::Disk { path: state.display().to_string(), error };
    make_private(state).map_err(disk)?;
    make_private(&state.join(".claude")).map_err(disk)?;
    let json = state.join(".claude.json");
    match fs::symlink_metadata(&json) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Ok(found) if found.is_file() && is_json_object(&json) => return Ok(()),
        _ => {
            let aside = rename_aside(&json).map_err(disk)?;
            warn(format!(
                "{} was not a JSON object, so sessions could not start; renamed to {}",
                json.display(),
                aside.display()
            ));
        }
    }
    own_file::write(&json, NEW).map_err(disk)
}

pub(super) fn has_credentials(state: &Path) -> bool {
    state.join(".claude/.credentials.json").is_file()
}

/// A folder that only the user can read. An existing one is not changed.
pub(super) fn make_private(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => return Err(io::Error::new(ErrorKind::NotADirectory, "it is not a folder")),
        Err(_) => {}
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// A file that is too large to read counts as valid.
fn is_json_object(json: &Path) -> bool {
    match bounded_read::read_file(json, LARGEST) {
        Ok(bytes) => serde_json::from_slice::<Map<String, Value>>(&bytes).is_ok(),
        Err(_) => true,
    }
}

fn rename_aside(json: &Path) -> io::Result<PathBuf> {
    let free = (1..).map(|n| json.with_file_name(format!(".claude.json.broken-{n}")));
    let mut free = free.skip_while(|path| path.symlink_metadata().is_ok());
    let aside = free.next().unwrap_or_else(|| json.with_extension("broken"));
    fs::rename(json, &aside)?;
    Ok(aside)
}

/// The existing part of the path with every link resolved, and the rest unchanged.
pub(super) fn resolved(path: &Path) -> PathBuf {
    path.ancestors()
        .find_map(|there| {
            let real = there.canonicalize().ok()?;
            let rest = path.strip_prefix(there).ok()?;
            Some(if rest.as_os_str().is_empty() { real } else { real.join(rest) })
        })
        .unwrap_or_else(|| path.to_path_buf())
}
