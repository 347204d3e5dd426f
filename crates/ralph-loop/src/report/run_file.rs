//! Append-only files of a run. An agent may have replaced one with a link to another file, a pipe or a
//! folder.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use bounded_read::FileError;

/// What was at the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    TheFile,
    Nothing,
    /// Something else, which was renamed to this.
    Renamed(String),
}

/// Opens the file at `path`, or starts it; anything else there is renamed.
pub(super) fn open(path: &Path) -> io::Result<(File, Found)> {
    match bounded_read::open_to_append(path) {
        Ok(file) => Ok((file, Found::TheFile)),
        Err(FileError::Absent) => Ok((start(path)?, Found::Nothing)),
        Err(_) => start_anew(path),
    }
}

/// Starts the file at `path`; the existing one is renamed.
pub(super) fn start_anew(path: &Path) -> io::Result<(File, Found)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let names = (1..).map(|number: u32| format!("{name}.replaced-{number}"));
    let mut free = names.filter(|name| path.with_file_name(name).symlink_metadata().is_err());
    let renamed = free.next().unwrap_or_default();
    std::fs::rename(path, path.with_file_name(&renamed))?;
    Ok((start(path)?, Found::Renamed(renamed)))
}

fn start(path: &Path) -> io::Result<File> {
    // An agent may have deleted the folder.
    std::fs::create_dir_all(path.parent().unwrap_or(path))?;
    File::options().read(true).append(true).create_new(true).open(path)
}

/// Ends a partial line of a writer that was killed.
pub(super) fn end_line(file: &mut File) -> io::Result<()> {
    if file.seek(SeekFrom::End(0))? > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok(())
}

/// Metadata that changes when a file is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    /// Device and inode.
    pub(super) identity: (u64, u64),
    pub(super) length: u64,
    /// The change time: unlike the modification time, no program can set it.
    changed: (i64, i64),
}

impl Stat {
    #[cfg(unix)]
    pub(super) fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            identity: (metadata.dev(), metadata.ino()),
            length: metadata.len(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    #[cfg(not(unix))]
    pub(super) fn of(metadata: &Metadata) -> Self {
        let written = metadata.modified().ok();
        let since = written.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let since = since.unwrap_or_default();
        let seconds = i64::try_from(since.as_secs()).unwrap_or_default();
        let changed = (seconds, i64::from(since.subsec_nanos()));
        Self { identity: (0, 0), length: metadata.len(), changed }
    }

    /// Does not follow links.
    pub(super) fn at(path: &Path) -> Option<Self> {
        path.symlink_metadata().ok().map(|metadata| Self::of(&metadata))
    }
}

/// Whether the file has more hard links.
#[cfg(unix)]
pub(super) fn has_other_names(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
pub(super) fn has_other_names(_: &Metadata) -> bool {
    false
}
