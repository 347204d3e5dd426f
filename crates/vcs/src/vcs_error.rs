//! Everything that can go wrong between a question and git's answer.

use std::io;
use std::path::PathBuf;

use bounded_read::StreamError;

use crate::Operation;
use crate::tree_object::DEEPEST;
use crate::tree_size::MOST_PATHS;

#[derive(Debug, thiserror::Error)]
pub enum VcsError {
    #[error("cannot start git: {0}")]
    NotStarted(io::Error),
    #[error("git {command} failed: {message}")]
    Failed { command: &'static str, message: String },
    #[error("git {command} did not answer: {error}")]
    NoAnswer { command: &'static str, error: StreamError },
    #[error("git {command} gave an answer that cannot be read")]
    Unreadable { command: &'static str },
    #[error("cannot make a temporary file for git: {0}")]
    NoTemporaryFile(io::Error),
    #[error("not the path of a file in this repository: {path:?}")]
    InvalidPath { path: String },
    #[error("{path:?} belongs to a repository of its own")]
    OwnRepository { path: String },
    #[error("{path:?} cannot be put there: other files are in its place")]
    InTheWay { path: String },
    #[error("{path:?} has {bytes} bytes, more than the {limit} that are read")]
    TooLarge { path: String, bytes: u64, limit: u64 },
    #[error("cannot work on {}: {error}", path.display())]
    Disk { path: PathBuf, error: io::Error },
    #[error(
        "object {name} of the repository is missing, its content does not match its name, or it has more than \
         {MOST_PATHS} paths or {DEEPEST} folders in each other"
    )]
    BadObject { name: String },
    #[error("{} is no file, and git would wait for it for ever", path.display())]
    PipeInTheWay { path: PathBuf },
    #[error("{name} was changed, and what it was before is not known")]
    ControlFileChanged { name: String },
    #[error("git setting {name} outside of the repository was changed during the run")]
    OutsideSettingChanged { name: String },
    #[error("{} was replaced: the repository is not there any more", path.display())]
    RepositoryReplaced { path: PathBuf },
    #[error("the index is locked by somebody else: {}", lock.display())]
    Locked { lock: PathBuf },
    #[error("not a name for a branch: {name:?}")]
    InvalidBranch { name: String },
    /// With everything git said, because the files in the way are on lines of their own.
    #[error("git does not change to branch {name:?}: {complaint}")]
    BranchRefused { name: String, complaint: String },
    #[error("{name:?} cannot be made: there is no free name beside the ones that are there")]
    NameTaken { name: String },
    #[error("no branch with a commit is checked out")]
    NoBranch,
    #[error("a {0} is in progress")]
    OperationInProgress(Operation),
}

impl VcsError {
    /// Whether somebody else holds, or has left behind, one of git's locks.
    pub fn is_about_a_lock(&self) -> bool {
        match self {
            Self::Locked { .. } => true,
            Self::Failed { message, .. } => message.contains(".lock': File exists"),
            Self::BranchRefused { complaint, .. } => complaint.contains(".lock': File exists"),
            _ => false,
        }
    }
}
