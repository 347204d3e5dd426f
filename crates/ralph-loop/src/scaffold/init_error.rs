//! Why a project could not be set up.

use std::io;
use std::path::PathBuf;

use project::LockError;

#[derive(Debug, thiserror::Error)]
pub enum InitError {
    #[error("{} is not a folder", .path.display())]
    NoFolder { path: PathBuf },
    #[error("{name:?} has no letter or digit to name a branch after")]
    Name { name: String },
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("cannot create the folder {}: {error}", .path.display())]
    Folder { path: PathBuf, error: io::Error },
    #[error("{} is a symbolic link that leads nowhere", .path.display())]
    DanglingLink { path: PathBuf },
    #[error("cannot read {}: {error}", .path.display())]
    Unreadable { path: PathBuf, error: bounded_read::FileError },
    #[error("cannot write {}: {error}", .path.display())]
    Unwritable { path: PathBuf, error: io::Error },
}
