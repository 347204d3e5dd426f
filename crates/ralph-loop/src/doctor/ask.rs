//! Asks programs about themselves, and waits for none of them any longer than that takes.

use std::path::Path;
use std::time::Duration;

use engine::quick::{Question, Quick};
use supervise::{Keeper, StopRequests};

/// A program on a cold disk, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a program printed, or why it did not.
pub(crate) type Said = Result<String, String>;

pub(crate) struct Asker<'a> {
    pub(crate) keeper: &'a Keeper,
    /// Where the programs run.
    pub(crate) folder: &'a Path,
    pub(crate) stop: &'a StopRequests,
}

impl Asker<'_> {
    /// The first line of `program --version`.
    pub(crate) fn version(&self, program: &Path) -> Said {
        let quick = Quick { keeper: self.keeper, folder: self.folder, stop: self.stop };
        let args = vec!["--version".into()];
        let question =
            Question { program, args, environment: Vec::new(), input: Vec::new(), limit: PATIENCE };
        let said = match quick.ask(question) {
            Ok(answer) if answer.succeeded() => answer.stdout,
            Ok(answer) => return Err(answer.complaint()),
            Err(error) => return Err(error.to_string()),
        };
        let line = said.lines().map(str::trim).find(|line| !line.is_empty());
        line.map(str::to_owned).ok_or_else(|| "it said nothing".to_owned())
    }
}
