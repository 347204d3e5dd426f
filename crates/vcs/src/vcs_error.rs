//! Errors of git operations.

use std::io;
use std::path::{Path, PathBuf};

use bounded_read::StreamError;

use crate::tree_object::DEEPEST;
use crate::tree_walk::MOST_PATHS;
use crate::{CommitId, Operation};

pub(crate) type Result<T, E = VcsError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum VcsError {
    #[error("cannot start git: {0}")]
    NotStarted(io::Error),
    #[error("git {command} failed: {message}")]
    Failed { command: &'static str, message: String },
    #[error("git {command} gave no output: {error}")]
    NoAnswer { command: &'static str, error: StreamError },
    #[error("git {command} printed output that cannot be parsed")]
    Unreadable { command: &'static str },
    #[error("cannot create a temporary file for git: {0}")]
    NoTemporaryFile(io::Error),
    #[error("not the path of a file in this repository: {path:?}")]
    InvalidPath { path: String },
    #[error("{path:?} belongs to a nested repository")]
    OwnRepository { path: String },
    #[error("cannot write {path:?}: other files are in its place")]
    PathConflict { path: String },
    #[error("{path:?} has {bytes} bytes; the limit is {limit}")]
    TooLarge { path: String, bytes: u64, limit: u64 },
    #[error("cannot access {}: {error}", path.display())]
    Disk { path: PathBuf, error: io::Error },
    #[error(
        "object {name} of the repository is missing, its content does not match its name, or it \
         has more than \
         {MOST_PATHS} paths or {DEEPEST} nested folders"
    )]
    BadObject { name: String },
    #[error("{} is not a regular file and would block git", path.display())]
    BlockingPipe { path: PathBuf },
    #[error("{name} was changed, and its old content is unknown")]
    ControlFileChanged { name: String },
    #[error("git setting {name} outside of the repository was changed during the run")]
    OutsideSettingChanged { name: String },
    #[error("{} was replaced: the repository is gone", path.display())]
    RepositoryReplaced { path: PathBuf },
    #[error("another process has locked the index: {}", lock.display())]
    Locked { lock: PathBuf },
    #[error("not a valid branch name: {name:?}")]
    InvalidBranch { name: String },
    /// Keeps all output of git, because it lists the conflicting files on separate lines.
    #[error("git cannot switch to branch {name:?}: {message}")]
    BranchRefused { name: String, message: String },
    #[error("{name:?} cannot be created: all names like it are taken")]
    NameTaken { name: String },
    #[error("no branch with a commit is checked out")]
    NoBranch,
    #[error("{} and {} have no common history", commits[0], commits[1])]
    Unrelated { commits: [CommitId; 2] },
    #[error("{name} of the clone is not at {commit}")]
    OtherCommit { name: String, commit: CommitId },
    #[error("{} is no clone of this repository, or its refs are damaged", folder.display())]
    NotAClone { folder: PathBuf },
    #[error("a {0} is in progress")]
    OperationInProgress(Operation),
}

impl VcsError {
    /// Whether another process holds, or left behind, one of git's locks.
    pub fn is_lock_error(&self) -> bool {
        match self {
            Self::Locked { .. } => true,
            Self::Failed { message, .. } => message.contains(".lock': File exists"),
            Self::BranchRefused { message, .. } => message.contains(".lock': File exists"),
            _ => false,
        }
    }
}

/// The error of a file operation at `path`.
pub(crate) fn disk(path: &Path) -> impl Fn(io::Error) -> VcsError {
    |error| VcsError::Disk { path: path.to_path_buf(), error }
}
