//! Removes files and folders regardless of their modes.

use std::fs;
use std::io;
use std::path::Path;

use crate::inventory::{InventoryItem, ItemKind};

/// Removes all paths, contents before their folder. Returns those that could not be removed, such
/// as non-empty folders.
///
/// In `all`, folders precede their contents.
pub(crate) fn remove_all<'a>(all: &[&'a InventoryItem]) -> Vec<(&'a InventoryItem, io::Error)> {
    let mut stayed = Vec::new();
    for found in all.iter().rev() {
        let removed = match found.kind {
            ItemKind::File => with_open_parent(&found.place, |place| fs::remove_file(place)),
            _ => with_open_parent(&found.place, |place| fs::remove_dir(place)),
        };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => stayed.push((*found, error)),
            _ => {}
        }
    }
    stayed
}

pub(crate) fn with_open_parent(
    place: &Path,
    act: impl Fn(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let is_opened = || place.parent().is_some_and(open_up);
    match act(place) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && is_opened() => act(place),
        done => done,
    }
}

/// Whether the owner's access to a closed folder could be restored.
#[cfg(unix)]
pub(crate) fn open_up(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let Ok(found) = fs::symlink_metadata(folder) else { return false };
    let mode = found.permissions().mode();
    let is_closed = found.is_dir() && mode & 0o700 != 0o700;
    is_closed && fs::set_permissions(folder, fs::Permissions::from_mode(mode | 0o700)).is_ok()
}

#[cfg(not(unix))]
pub(crate) fn open_up(_folder: &Path) -> bool {
    false
}
