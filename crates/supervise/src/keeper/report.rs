//! The report of a keeper to its runner: a small file, written atomically.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{EndReason, Ended, Exit, Leftovers};

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Report {
    /// The program could not be started.
    NotStarted { os_error: Option<i32>, message: String },
    /// The child and its tree have ended.
    Ended {
        /// `None` if even a kill did not end it.
        exit: Option<Exit>,
        /// Whether the child still ran when it was asked to end.
        asked_to_end: bool,
        leftovers: Leftovers,
    },
}

/// A keeper that has ended.
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    /// `None` if the keeper was killed.
    pub(crate) report: Option<Report>,
    /// Its processes, if it was killed.
    pub(crate) orphans: Leftovers,
}

impl Report {
    /// How the child ended; `reason` is why it was asked to, if it was. A start error is the one
    /// that the keeper met.
    pub(crate) fn into_ended(
        self,
        reason: Option<EndReason>,
        elapsed: Duration,
    ) -> io::Result<Ended> {
        match self {
            Self::Ended { exit, asked_to_end, leftovers } => {
                // Without a reason of the runner, another process asked the keeper to end.
                let how = reason.filter(|_| asked_to_end).unwrap_or(EndReason::ByItself);
                Ok(Ended { how, exit, leftovers, elapsed })
            }
            Self::NotStarted { os_error: Some(code), .. } => {
                Err(io::Error::from_raw_os_error(code))
            }
            Self::NotStarted { os_error: None, message } => Err(io::Error::other(message)),
        }
    }
}

#[cfg(unix)]
impl Report {
    pub(crate) fn not_started(error: &io::Error) -> Self {
        Self::NotStarted { os_error: error.raw_os_error(), message: error.to_string() }
    }

    pub(crate) fn write(&self, path: &std::path::Path) -> io::Result<()> {
        let unfinished = path.with_extension("unfinished");
        std::fs::write(&unfinished, serde_json::to_vec(self)?)?;
        std::fs::rename(&unfinished, path)
    }

    pub(crate) fn read(path: &std::path::Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use assert_fs::TempDir;

    use super::*;

    #[test]
    fn a_report_is_read_as_it_was_written() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("report");
        let sleep = |pid| crate::Leftover { pid, name: "sleep".to_owned() };
        let leftovers = Leftovers { ended: vec![sleep(7)], alive: vec![sleep(8)] };
        for report in [
            Report::not_started(&io::Error::from_raw_os_error(2)),
            Report::Ended { exit: Some(Exit::Signal(9)), asked_to_end: true, leftovers },
        ] {
            report.write(&path).unwrap();
            assert_eq!(Report::read(&path), Some(report));
            assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        }
    }

    #[test]
    fn an_incomplete_report_is_none() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("report");
        assert_eq!(Report::read(&path), None);
        std::fs::write(&path, r#"{"ended":{"exit":"#).unwrap();
        assert_eq!(Report::read(&path), None);
    }

    #[test]
    fn the_kind_of_a_start_error_is_not_lost() {
        let met = |error: &io::Error| {
            Report::not_started(error).into_ended(None, Duration::ZERO).unwrap_err()
        };
        let missing = io::Error::from_raw_os_error(2);
        assert_eq!(met(&missing).kind(), io::ErrorKind::NotFound);
        assert_eq!(met(&io::Error::other("odd")).to_string(), "odd");
    }
}
