//! A digest of the files of a clone, from which the runner sees that another program changed some.

use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

use tasks::Sha256Digest;

/// Of names, kinds, sizes and times, also of ignored files; without git's own folder. `None` if a folder cannot be
/// read.
pub(crate) fn digest(folder: &Path) -> Option<Sha256Digest> {
    let mut found = Vec::new();
    list(folder, true, &mut found).ok()?;
    Some(Sha256Digest::of(&found))
}

fn list(folder: &Path, is_top: bool, found: &mut Vec<u8>) -> io::Result<()> {
    let mut entries = std::fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        if is_top && name == ".git" {
            continue;
        }
        // No name contains these bytes.
        found.extend([name.as_encoded_bytes(), b"\0/"].concat());
        let metadata = entry.metadata()?;
        if metadata.is_dir() {
            list(&entry.path(), false, found)?;
            found.extend(b"\0..");
        } else {
            found.extend(stamp(&metadata));
        }
    }
    Ok(())
}

fn stamp(found: &Metadata) -> Vec<u8> {
    let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let kind = [found.is_file(), found.is_symlink(), modified.is_some()].map(u8::from);
    let modified = modified.unwrap_or_default().as_nanos().to_le_bytes();
    let mut stamp = [&kind[..], &found.len().to_le_bytes(), &modified].concat();
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        stamp.extend(found.mode().to_le_bytes());
        stamp.push(u8::from(found.nlink() == 1));
        // A program can set the time of modification, but not this one. Package managers add links to the files in
        // their cache, which changes it.
        if found.nlink() == 1 {
            stamp.extend([found.ctime(), found.ctime_nsec()].map(i64::to_le_bytes).concat());
        }
    }
    stamp
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_of_a_file_changes_the_digest() {
        let folder = assert_fs::TempDir::new().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        std::fs::create_dir_all(folder.path().join(".git")).unwrap();
        std::fs::create_dir_all(folder.path().join("a/b")).unwrap();
        write("a/b/c", "text");
        let mut known = vec![digest(folder.path()).unwrap()];
        let changed = |known: &mut Vec<_>| {
            let now = digest(folder.path()).unwrap();
            assert!(!known.contains(&now));
            known.push(now);
        };
        write("a/b/c", "longer");
        changed(&mut known);
        write("a/new", "");
        changed(&mut known);
        std::fs::remove_file(folder.path().join("a/b/c")).unwrap();
        changed(&mut known);
        write(".git/index", "git's own");
        assert_eq!(digest(folder.path()).as_ref(), known.last());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_with_its_old_size_and_time_is_noticed() {
        let folder = assert_fs::TempDir::new().unwrap();
        let path = folder.path().join("check.sh");
        std::fs::write(&path, "old").unwrap();
        let (before, time) = (digest(folder.path()), path.metadata().unwrap().modified().unwrap());
        std::fs::write(&path, "new").unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        assert_ne!(digest(folder.path()), before);
    }
}
