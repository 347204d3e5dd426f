//! Asks programs about themselves, and waits for none of them any longer than that takes.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use engine::quick::{Question, Quick};
use supervise::{Keeper, StopRequests};

/// A program on a cold disk, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a program printed, or why it did not.
pub(crate) type Said = Result<String, String>;

pub(crate) struct Asker<'a> {
    pub(crate) keeper: Keeper,
    /// Where the programs run.
    pub(crate) folder: &'a Path,
}

impl Asker<'_> {
    /// The first line of `program --version`.
    pub(crate) fn version(&self, program: &Path) -> Said {
        let said = self.said(program, &["--version"])?;
        let line = said.lines().map(str::trim).find(|line| !line.is_empty());
        line.map(str::to_owned).ok_or_else(|| "it said nothing".to_owned())
    }

    pub(crate) fn said(&self, program: &Path, args: &[&str]) -> Said {
        let stop = StopRequests::new();
        let quick = Quick { keeper: &self.keeper, folder: self.folder, stop: &stop };
        let args = args.iter().map(OsString::from).collect();
        let question = Question { program, args, input: Vec::new(), limit: PATIENCE };
        match quick.ask(question) {
            Ok(answer) if answer.succeeded() => Ok(answer.stdout),
            Ok(answer) => Err(answer.complaint()),
            Err(error) => Err(error.to_string()),
        }
    }
}
