//! The folder with what Claude Code keeps for its sandboxes. An agent can write in it, so nothing in it
//! is trusted, and no link in it is followed by a write.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use isolation::docker::OffLimits;
use serde_json::{Map, Value};

use super::DockerOptions;
use crate::{RunError, own_file};

/// Claude Code's own grows with the number of projects.
const LARGEST: u64 = 64 * 1024 * 1024;

/// What Claude Code can start with; an empty file is none.
const NEW: &str = "{}\n";

/// Where it is, with every link resolved; also if it is not there yet. Refused if the sandbox would see
/// what is the user's own.
pub(super) fn locate(options: &DockerOptions, project: &Path) -> Result<PathBuf, RunError> {
    let state = resolved(&options.state_folder);
    let (home, project) = (resolved(&options.home), resolved(project));
    let own_settings = resolved(&options.home.join(".claude"));
    let off_limits = OffLimits { home: &home, own_settings: &own_settings, project: &project };
    if off_limits.project_is_private() {
        return Err(RunError::precondition(
            "the project would show your own ~/.claude to the sandbox",
            "move the project to a folder of its own",
        ));
    }
    match off_limits.check(&state) {
        Ok(()) => Ok(state),
        Err(why) => Err(RunError::precondition(
            format!("{} cannot be the state folder of sandboxes: {why}", state.display()),
            "name an empty folder of its own, or none for the usual one",
        )),
    }
}

/// Makes what is not there.
pub(super) fn provide(state: &Path, tell: &mut dyn FnMut(String)) -> Result<(), RunError> {
    let disk = |error| RunError::Disk { path: state.display().to_string(), error };
    make_private(state).map_err(disk)?;
    make_private(&state.join(".claude")).map_err(disk)?;
    let json = state.join(".claude.json");
    match fs::symlink_metadata(&json) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Ok(found) if found.is_file() && is_sound(&json) => return Ok(()),
        _ => {
            let aside = move_aside(&json).map_err(disk)?;
            tell(format!(
                "{} was no JSON object, and no session in a sandbox starts with that; it is now {}",
                json.display(),
                aside.display()
            ));
        }
    }
    own_file::write(&json, NEW).map_err(disk)
}

/// Somebody has signed in.
pub(super) fn has_credentials(state: &Path) -> bool {
    state.join(".claude/.credentials.json").is_file()
}

/// A folder that only the user may look into. One that is there stays as it is.
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

/// What cannot be read to its end is none of our business.
fn is_sound(json: &Path) -> bool {
    match bounded_read::read_file(json, LARGEST) {
        Ok(bytes) => serde_json::from_slice::<Map<String, Value>>(&bytes).is_ok(),
        Err(_) => true,
    }
}

fn move_aside(json: &Path) -> io::Result<PathBuf> {
    let free = (1..).map(|n| json.with_file_name(format!(".claude.json.broken-{n}")));
    let mut free = free.skip_while(|path| path.symlink_metadata().is_ok());
    let aside = free.next().unwrap_or_else(|| json.with_extension("broken"));
    fs::rename(json, &aside)?;
    Ok(aside)
}

/// The part that is there with every link resolved, and what is not there as it was named.
pub(super) fn resolved(path: &Path) -> PathBuf {
    path.ancestors()
        .find_map(|there| {
            let real = there.canonicalize().ok()?;
            let rest = path.strip_prefix(there).ok()?;
            Some(if rest.as_os_str().is_empty() { real } else { real.join(rest) })
        })
        .unwrap_or_else(|| path.to_path_buf())
}
