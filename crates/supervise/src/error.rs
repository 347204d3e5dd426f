//! Errors that prevent running a child.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use crate::Leftovers;

#[derive(Debug, thiserror::Error)]
pub enum SuperviseError {
    #[error("cannot start {}: {source}", program.display())]
    NotStarted { program: PathBuf, source: io::Error },
    #[error("cannot start {} in {}: not a folder", program.display(), folder.display())]
    NoFolder { program: PathBuf, folder: PathBuf },
    #[error("cannot start {}, the keeper of {}: {source}", keeper.display(), program.display())]
    NoKeeper { keeper: PathBuf, program: PathBuf, source: io::Error },
    #[error("cannot create a temporary folder: {0}")]
    NoReportFolder(io::Error),
    #[error("the keeper of {} ended without a report: {status}", program.display())]
    KeeperLost {
        program: PathBuf,
        status: ExitStatus,
        /// The processes of the tree.
        orphans: Leftovers,
    },
    #[error("cannot wait for {}: {source}", program.display())]
    NotWaitedFor { program: PathBuf, source: io::Error },
}

impl SuperviseError {
    /// The processes of a child that was started.
    pub fn leftovers(&self) -> Leftovers {
        match self {
            Self::KeeperLost { orphans, .. } => orphans.clone(),
            _ => Leftovers::default(),
        }
    }
}
