//! Files of the runner at paths where an agent or a check may have placed something else: a pipe without
//! a reader, a link to any file of the user, a folder.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

pub(crate) use project::remove_any as remove;

/// A new file in place of whatever exists at the path.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    remove(path)?;
    File::options().write(true).create_new(true).open(path)
}

pub(crate) fn write(path: &Path, contents: impl AsRef<[u8]>) -> io::Result<()> {
    create(path)?.write_all(contents.as_ref())
}

/// A file with this content is not written again: reading is cheaper. Replaced atomically: lanes write the same file
/// at the same time.
pub(crate) fn write_unless_same(path: &Path, contents: &[u8]) -> io::Result<()> {
    match bounded_read::read_file(path, contents.len() as u64) {
        Ok(found) if found == contents => Ok(()),
        _ => {
            if path.is_dir() {
                remove(path)?;
            }
            project::replace_unsynced(path, contents)
        }
    }
}

/// A record for people, replaced atomically but not synced: it may be lost in a power cut.
pub(crate) fn put_record(root: &Path, path: &Path, contents: &[u8]) -> io::Result<()> {
    clear_path(root, path)?;
    project::replace_unsynced(path, contents)
}

/// Appends to an existing regular file.
pub(crate) fn append(path: &Path, text: &str) -> io::Result<()> {
    if path.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
        remove(path)?;
    }
    File::options().append(true).create(true).open(path)?.write_all(text.as_bytes())
}

/// Replaces a file of the project below `root` atomically, whatever its path or parent folders have become.
pub(crate) fn put(root: &Path, path: &Path, contents: &[u8]) -> io::Result<()> {
    clear_path(root, path)?;
    project::replace_whole(path, contents)
}

/// Removes what blocks the path: a folder of that name, or files in place of parent folders.
pub(crate) fn clear_path(root: &Path, path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(root);
    let below = folder.ancestors().take_while(|folder| *folder != root);
    for folder in below.filter(|folder| folder.symlink_metadata().is_ok() && !folder.is_dir()) {
        remove(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    if path.is_dir() { remove(path) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_a_file_with_other_contents_is_replaced() {
        use std::os::unix::fs::MetadataExt;
        let dir = assert_fs::TempDir::new().unwrap();
        let file = dir.path().join("copy");
        let number = || fs::metadata(&file).unwrap().ino();
        write_unless_same(&file, b"one").unwrap();
        // A hard link keeps the inode number from being reused.
        fs::hard_link(&file, dir.path().join("other name")).unwrap();
        let first = number();
        write_unless_same(&file, b"one").unwrap();
        assert_eq!(number(), first);
        for changed in ["two", "one and more", ""] {
            fs::write(&file, changed).unwrap();
            write_unless_same(&file, b"one").unwrap();
            assert_eq!(fs::read(&file).unwrap(), b"one");
        }
        assert_ne!(number(), first);
    }

    #[test]
    fn an_existing_path_is_replaced_and_not_written_to() {
        let dir = assert_fs::TempDir::new().unwrap();
        let file = dir.path().join("own");
        let users = dir.path().join("users");
        fs::write(&users, "precious").unwrap();
        let put_there: [&dyn Fn(); 4] = [
            &|| {},
            &|| fs::write(&file, "longer than the new one").unwrap(),
            &|| fs::create_dir_all(file.join("deep/er")).unwrap(),
            &|| link(&users, &file),
        ];
        for there in put_there {
            remove(&file).unwrap();
            there();
            write(&file, "new").unwrap();
            assert_eq!(fs::read(&file).unwrap(), b"new");
            assert_eq!(fs::read(&users).unwrap(), b"precious");
        }
    }

    #[cfg(unix)]
    fn link(to: &Path, at: &Path) {
        std::os::unix::fs::symlink(to, at).unwrap();
    }

    #[cfg(not(unix))]
    fn link(_: &Path, _: &Path) {}

    #[test]
    fn a_project_file_is_restored_over_missing_or_foreign_folders() {
        let dir = assert_fs::TempDir::new().unwrap();
        let path = dir.path().join("ralph/more/tasks.json");
        let spoil: [&dyn Fn(); 4] = [
            &|| {},
            &|| fs::write(dir.path().join("ralph"), "a file").unwrap(),
            &|| fs::create_dir_all(path.join("x")).unwrap(),
            &|| {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                link(Path::new("/nowhere"), &path);
            },
        ];
        for spoil in spoil {
            remove(&dir.path().join("ralph")).unwrap();
            spoil();
            put(dir.path(), &path, b"list").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"list");
        }
    }
}
