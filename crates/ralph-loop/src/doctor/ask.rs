//! Asks programs for their version, with a time limit.

use std::path::Path;
use std::time::Duration;

use supervise::{Keeper, ProgramCall, ProgramRunner, StopRequests};

/// Enough for a slow disk and a busy machine.
const VERSION_TIMEOUT: Duration = Duration::from_secs(10);

/// The first line of `--version`, or why there is none.
pub(crate) type VersionOutput = Result<String, String>;

pub(crate) struct Asker<'a> {
    pub(crate) keeper: &'a Keeper,
    /// Where the programs run.
    pub(crate) folder: &'a Path,
    pub(crate) stop: &'a StopRequests,
}

impl Asker<'_> {
    /// The first line of `program --version`.
    pub(crate) fn version(&self, program: &Path) -> VersionOutput {
        let quick = ProgramRunner { keeper: self.keeper, folder: self.folder, stop: self.stop };
        let args = vec!["--version".into()];
        let question = ProgramCall {
            program,
            args,
            environment: Vec::new(),
            input: Vec::new(),
            limit: VERSION_TIMEOUT,
        };
        let output = match quick.run(question) {
            Ok(answer) if answer.succeeded() => answer.stdout,
            Ok(answer) => return Err(answer.error_text()),
            Err(error) => return Err(error.to_string()),
        };
        let line = output.lines().map(str::trim).find(|line| !line.is_empty());
        line.map(str::to_owned).ok_or_else(|| "no output".to_owned())
    }
}
