//! What iterations left for one another goes out of the way of the next loop, to where the data of
//! runs stays: inside `.ralph/`. Only the last account of the project is in the archive too.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use project::Layout;

use super::free_folder;

/// The last account, in the archive.
pub(super) const FILE: &str = "memory.json";

/// An account is a few thousand tokens; what is larger is none.
pub(super) const LARGEST_ACCOUNT: u64 = 1024 * 1024;

const ARCHIVED: &str = "archived";

pub(super) fn account(layout: &Layout) -> PathBuf {
    folder(layout).join("compacted.json")
}

fn folder(layout: &Layout) -> PathBuf {
    layout.data_dir().join("memory")
}

/// Moves all of it to `.ralph/memory/archived/<name>`, which is returned, unless there is none.
/// Whatever happens, each file is here or there.
pub(super) fn put_away(
    layout: &Layout,
    name: &str,
) -> Result<Option<PathBuf>, (PathBuf, io::Error)> {
    let folder = folder(layout);
    let at = |error| (folder.clone(), error);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries.collect::<io::Result<Vec<_>>>().map_err(at)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(at(error)),
    };
    let names = entries.iter().map(fs::DirEntry::file_name).filter(|name| name != ARCHIVED);
    let names: Vec<_> = names.collect();
    if names.is_empty() {
        return Ok(None);
    }
    let place = free_folder(&folder.join(ARCHIVED), name);
    fs::create_dir_all(&place).map_err(at)?;
    for name in names {
        let from = folder.join(&name);
        fs::rename(&from, place.join(&name)).map_err(|error| (from, error))?;
    }
    Ok(Some(from_root(layout, &place)))
}

fn from_root(layout: &Layout, place: &Path) -> PathBuf {
    place.strip_prefix(layout.root()).unwrap_or(place).to_path_buf()
}
