//! Moves the memory of iterations to `.ralph/memory/archived/`, so that the next loop starts without it. The archive
//! gets a copy of the last compacted memory.

use std::fs;
use std::io;
use std::path::PathBuf;

use project::Layout;

use super::free_folder;

/// The last compacted memory in the archive.
pub(super) const FILE: &str = "memory.json";

/// Compacted memory has a few thousand tokens; a larger file is invalid.
pub(super) const LARGEST_COMPACTED: u64 = 1024 * 1024;

const ARCHIVED: &str = "archived";

pub(super) fn compacted(layout: &Layout) -> PathBuf {
    layout.memory_dir().join("compacted.json")
}

/// Moves the memory to `.ralph/memory/archived/<name>` and returns that path, or `None` if there is no memory. On an
/// error, each file is in one of the two places.
pub(super) fn archive_memory(
    layout: &Layout,
    name: &str,
) -> Result<Option<String>, (PathBuf, io::Error)> {
    let folder = layout.memory_dir();
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
    Ok(Some(layout.name_of(&place)))
}
