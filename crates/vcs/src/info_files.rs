//! Edits `.git/info/exclude`, the ignore list of this repository only.

use std::io;
use std::path::Path;

use bounded_read::FileError;

use crate::{VcsError, WorkTree};

const LARGEST: u64 = 16 * 1024 * 1024;

impl WorkTree {
    /// Adds project paths to the list. A folder ends in `/`.
    pub fn exclude<S: AsRef<str>>(&self, paths: &[S]) -> Result<(), VcsError> {
        let path = self.common_dir.join("info/exclude");
        let old = read(&path)?.unwrap_or_default();
        let known: Vec<&[u8]> = old.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect();
        let lines = paths.iter().map(|path| format!("/{}{}", self.prefix.0, path.as_ref()));
        let missing: String = lines
            .filter(|line| !known.contains(&line.as_bytes()))
            .map(|line| line + "\n")
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let separator: &[u8] = if old.is_empty() || old.ends_with(b"\n") { b"" } else { b"\n" };
        write(&path, &[&old, separator, missing.as_bytes()].concat())
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, VcsError> {
    match bounded_read::read_file(path, LARGEST) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(FileError::Absent) => Ok(None),
        Err(FileError::Io(error)) => Err(disk(path)(error)),
        Err(error) => Err(disk(path)(io::Error::other(error.to_string()))),
    }
}

fn write(path: &Path, contents: &[u8]) -> Result<(), VcsError> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, contents))
        .map_err(disk(path))
}

fn disk(path: &Path) -> impl FnOnce(io::Error) -> VcsError {
    let path = path.to_path_buf();
    move |error| VcsError::Disk { path, error }
}
