//! Errors of `archive`.

use std::io;
use std::path::PathBuf;

use bounded_read::FileError;
use project::LockError;

#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("no loop found: {} is not a folder", .path.display())]
    NotSetUp { path: PathBuf },
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("nothing to archive: the ralph folder is unchanged since `ralph-loop init`")]
    NothingToArchive,
    #[error("{} of {total} stories do not pass yet: {}", .open.len(), shortened(.open))]
    Unfinished { open: Vec<String>, total: usize },
    #[error("cannot determine from tasks.json whether the loop is finished: {problem}")]
    BrokenList { problem: String },
    #[error("cannot determine whether the loop is finished: tasks.json not found")]
    NoList,
    #[error("{label:?} contains no letter or digit for a folder name")]
    Label { label: String },
    #[error("cannot read {}: {error}", .path.display())]
    Read { path: PathBuf, error: FileError },
    #[error("cannot write {}: {error}; nothing was changed in the ralph folder", .path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error(
        "all files are in {}, but {} cannot be reset: {error}",
        .folder.display(), .path.display()
    )]
    Reset { folder: PathBuf, path: PathBuf, error: io::Error },
}

fn shortened(ids: &[String]) -> String {
    const SHOWN: usize = 5;
    let more = if ids.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", ids.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", "))
}
