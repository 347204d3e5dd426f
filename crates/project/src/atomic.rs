//! Atomic file replacement: a reader sees either the old or the new contents at any time, even after
//! a power cut.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::layout::TEMPORARY_PREFIX;

/// Writes `contents` to `path`: temporary file beside it, fsync, rename. The target of a symbolic link is
/// replaced, not the link. An existing file keeps its permissions.
pub fn write_whole(path: &Path, contents: &[u8]) -> io::Result<()> {
    replace_whole(&resolved(path)?, contents)
}

/// The same for a path that an agent can write: the symbolic link itself is replaced, because it could lead to
/// any file.
pub fn replace_whole(target: &Path, contents: &[u8]) -> io::Result<()> {
    replace(target, contents, true)
}

/// The same without fsync, for files that may be lost in a power cut.
pub fn replace_unsynced(target: &Path, contents: &[u8]) -> io::Result<()> {
    replace(target, contents, false)
}

fn replace(target: &Path, contents: &[u8], is_synced: bool) -> io::Result<()> {
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut temporary = tempfile::Builder::new().prefix(TEMPORARY_PREFIX).tempfile_in(folder)?;
    temporary.write_all(contents)?;
    let old = std::fs::symlink_metadata(target).ok().filter(std::fs::Metadata::is_file);
    set_permissions(temporary.as_file(), old.map(|old| old.permissions()))?;
    if is_synced {
        temporary.as_file().sync_all()?;
    }
    // Until the folder is synced, a power cut restores the old contents, which are complete too.
    temporary.persist(target).map_err(|error| error.error)?;
    Ok(())
}

/// Removes a file, a link or a folder; a missing path is no error.
pub fn remove_any(path: &Path) -> io::Result<()> {
    let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    let removed =
        if is_folder { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    if_present(removed)
}

/// The result of a removal, where a missing file is no error.
pub(crate) fn if_present(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn resolved(path: &Path) -> io::Result<PathBuf> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => path.canonicalize(),
        _ => Ok(path.to_path_buf()),
    }
}

#[cfg(unix)]
fn set_permissions(file: &File, old: Option<Permissions>) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    // tempfile creates files for the owner only; a tracked file should be readable as usual.
    file.set_permissions(old.unwrap_or_else(|| Permissions::from_mode(0o644)))
}

#[cfg(windows)]
fn set_permissions(_file: &File, _old: Option<Permissions>) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_and_leaves_nothing_behind() {
        let dir = assert_fs::TempDir::new().unwrap();
        let path = dir.path().join("file");
        write_whole(&path, b"old").unwrap();
        write_whole(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn fails_without_touching_the_old_contents() {
        let dir = assert_fs::TempDir::new().unwrap();
        let path = dir.path().join("gone").join("file");
        assert!(write_whole(&path, b"new").is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn keeps_links_and_permissions() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = assert_fs::TempDir::new().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        write_whole(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        replace_whole(&link, b"newer").unwrap();
        assert!(!link.is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"new", "the target of the link is unchanged");
    }
}
