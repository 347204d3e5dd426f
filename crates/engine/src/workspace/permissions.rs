//! Restores permissions that a session removed from the user's own files: without them the runner can
//! neither judge nor record.

use std::path::{Path, PathBuf};

/// Restores the owner's permission to list and change `folders`, and returns those that lacked it.
pub(crate) fn restore_permissions(folders: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    folders.into_iter().filter(|folder| own(folder)).collect()
}

/// The same for everything below `root`: folders to list and change, files to read.
pub(crate) fn restore_permissions_below(root: &Path) -> Vec<PathBuf> {
    let mut given = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        given.extend(own(&folder).then(|| folder.clone()));
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => {
                    given.extend(Some(entry.path()).filter(|file| own(file)));
                }
                _ => {}
            }
        }
    }
    given
}

/// Whether a permission was missing and is restored.
#[cfg(unix)]
fn own(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let Ok(metadata) = path.symlink_metadata() else { return false };
    let needed = if metadata.is_dir() {
        0o700
    } else if metadata.is_file() {
        0o400
    } else {
        return false;
    };
    let mut permissions = metadata.permissions();
    let missing = needed & !permissions.mode();
    permissions.set_mode(permissions.mode() | needed);
    missing != 0 && std::fs::set_permissions(path, permissions).is_ok()
}

/// Only the read-only flag, which does not prevent replacing files.
#[cfg(not(unix))]
fn own(_path: &Path) -> bool {
    false
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn folders_become_the_owners_again_and_files_readable() {
        let dir = assert_fs::TempDir::new().unwrap();
        let inner = dir.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        let outside = assert_fs::TempDir::new().unwrap();
        let (secret, script) = (inner.join("secret"), inner.join("script"));
        fs::write(&secret, "").unwrap();
        fs::write(&script, "").unwrap();
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o555)).unwrap();
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o055)).unwrap();
        fs::set_permissions(outside.path(), fs::Permissions::from_mode(0o500)).unwrap();
        symlink(outside.path(), dir.path().join("link")).unwrap();
        let mut given = restore_permissions_below(dir.path());
        given.sort();
        assert_eq!(given, [inner.clone(), secret.clone()]);
        assert_eq!([mode(&inner), mode(&secret), mode(&script)], [0o755, 0o400, 0o555]);
        assert_eq!(mode(outside.path()), 0o500, "links are not followed");
        fs::set_permissions(outside.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(
            restore_permissions([inner.clone(), dir.path().join("none")]),
            Vec::<PathBuf>::new()
        );
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o500)).unwrap();
        assert_eq!(restore_permissions([inner.clone()]), [inner]);
    }
}
