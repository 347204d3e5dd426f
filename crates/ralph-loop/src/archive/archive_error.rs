//! Why a loop was not put away.

use std::io;
use std::path::PathBuf;

use bounded_read::FileError;
use project::LockError;

#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("there is no loop here: {} is not a folder", .path.display())]
    NotSetUp { path: PathBuf },
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("nothing to archive: the ralph folder is still as `ralph-loop init` made it")]
    NothingToArchive,
    #[error("{} of {total} stories do not pass yet: {}", .open.len(), shortened(.open))]
    Unfinished { open: Vec<String>, total: usize },
    #[error("whether the loop is finished cannot be told from tasks.json: {problem}")]
    BrokenList { problem: String },
    #[error("whether the loop is finished cannot be told: there is no tasks.json")]
    NoList,
    #[error("{label:?} has no letter or digit to name a folder after")]
    Label { label: String },
    #[error("cannot read {}: {error}", .path.display())]
    Read { path: PathBuf, error: FileError },
    #[error("cannot write {}: {error}; nothing was changed in the ralph folder", .path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error(
        "everything is in {}, but {} cannot be started anew: {error}",
        .folder.display(), .path.display()
    )]
    Reset { folder: PathBuf, path: PathBuf, error: io::Error },
}

fn shortened(ids: &[String]) -> String {
    const SHOWN: usize = 5;
    let more = if ids.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", ids.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", "))
}
