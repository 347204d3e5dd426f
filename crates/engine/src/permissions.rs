//! Permissions of the user's own files that a session took away: without them the runner can neither judge
//! nor write down what it judged.

use std::path::{Path, PathBuf};

/// Gives the owner of `folders` back what it needs to list and change them, and names those that lacked it.
pub(crate) fn give_back(folders: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    folders.into_iter().filter(|folder| own(folder)).collect()
}

/// The same for everything below `root`: folders to list and change, files to read.
pub(crate) fn give_back_below(root: &Path) -> Vec<PathBuf> {
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

/// Whether a permission was missing, and is there now.
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

/// Only the flag "read-only", which does not keep files from being replaced.
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
        let mut given = give_back_below(dir.path());
        given.sort();
        assert_eq!(given, [inner.clone(), secret.clone()]);
        assert_eq!([mode(&inner), mode(&secret), mode(&script)], [0o755, 0o400, 0o555]);
        assert_eq!(mode(outside.path()), 0o500, "a link leads to what is not the project's");
        fs::set_permissions(outside.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(give_back([inner.clone(), dir.path().join("none")]), Vec::<PathBuf>::new());
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o500)).unwrap();
        assert_eq!(give_back([inner.clone()]), [inner]);
    }
}
