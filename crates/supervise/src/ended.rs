//! How a child ended or why it could not run, and which processes it left behind.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use derive_more::Display;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ended {
    pub how: EndReason,
    /// `None` if the child was not started or its status is unknown.
    pub exit: Option<Exit>,
    pub leftovers: Leftovers,
    pub elapsed: Duration,
}

impl Ended {
    /// The result for a child that was not started.
    pub fn not_started() -> Self {
        let (leftovers, elapsed) = (Leftovers::default(), Duration::ZERO);
        Self { how: EndReason::ByItself, exit: None, leftovers, elapsed }
    }
}

/// Why the child ended. It counts as ended by itself if it ended before the request reached it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    ByItself,
    TotalLimit,
    IdleLimit,
    /// Its answer was complete, but it did not exit.
    Lingered,
    Stopped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    Code(i32),
    Signal(i32),
}

/// Processes of the tree that outlived the child or were killed with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leftovers {
    /// Ended processes; only the first ones if there were many.
    pub ended: Vec<Leftover>,
    /// Processes that could not be ended and may still run.
    pub alive: Vec<Leftover>,
}

/// A process, or a whole group on systems that cannot list the processes of a group.
#[derive(Debug, Clone, PartialEq, Eq, Display, Serialize, Deserialize)]
#[display("{name} (pid {pid})")]
pub struct Leftover {
    pub pid: u32,
    pub name: String,
}

/// Errors that prevent running a child.
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

/// Some processes cannot be killed: they wait for a disk or belong to another user. On a busy
/// machine the others are slow, too.
#[cfg(unix)]
pub(crate) const LONGEST_KILLING: Duration = Duration::from_secs(12);

/// Limit for messages.
#[cfg(unix)]
const MOST_RECORDED: usize = 50;

#[cfg(unix)]
impl Leftovers {
    /// Records ended processes without duplicates.
    pub(crate) fn record(&mut self, found: impl IntoIterator<Item = Leftover>) {
        for found in found {
            let is_known = self.ended.iter().any(|known| known.pid == found.pid);
            if !is_known && self.ended.len() < MOST_RECORDED {
                self.ended.push(found);
            }
        }
    }
}
