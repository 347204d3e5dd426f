//! What a sandbox needs before, during and after a session.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use agents::{CommandLine, Value};
use isolation::docker::{FileSharing, Script, SessionCall};
use supervise::{EndReason, Ended, Exit};

use super::caller::{Caller, Step};
use super::fingerprint::Fingerprint;
use super::{DockerSandbox, SandboxContext, SyncState};
use crate::RunError;

const LARGEST: u64 = 16 * 1024 * 1024;

/// Whether an ended session may still run in the sandbox, where the host does not see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    Complete,
    /// It was ended on the host, and may still run in the sandbox.
    Cut,
}

impl From<&Ended> for SessionEnd {
    fn from(ended: &Ended) -> Self {
        match (ended.how, ended.exit) {
            (EndReason::ByItself, Some(Exit::Code(_))) => Self::Complete,
            _ => Self::Cut,
        }
    }
}

impl DockerSandbox {
    /// Makes host changes since the last session visible in the sandbox. `own` are files that the runner
    /// writes again for every session.
    pub fn before_session(
        &mut self,
        ground: SandboxContext<'_>,
        own: &[PathBuf],
    ) -> Result<(), RunError> {
        match self.sync_state {
            SyncState::Stopped => Ok(()),
            // The session starts it again, with the current files of the host.
            _ if self.is_behind(ground) => Caller { cli: &self.cli, ground }.stop(&self.name),
            _ if self.cli.sharing() == FileSharing::Synced => {
                own.iter().try_for_each(|path| self.write_through(ground, path))
            }
            _ => Ok(()),
        }
    }

    fn is_behind(&self, ground: SandboxContext<'_>) -> bool {
        match (self.sync_state, self.cli.sharing()) {
            (SyncState::NotStopped, _) => true,
            (SyncState::Seen(then), FileSharing::Synced) => {
                Fingerprint::take(ground.layout).is_some_and(|now| now != then)
            }
            _ => false,
        }
    }

    /// Writes the host's version of the file directly, because file sharing may lag behind.
    fn write_through(&self, ground: SandboxContext<'_>, path: &Path) -> Result<(), RunError> {
        let caller = Caller { cli: &self.cli, ground };
        match bounded_read::read_file(path, LARGEST) {
            Ok(bytes) => caller.exec(Step::Write, &self.name, &Script::write(path), bytes),
            Err(bounded_read::FileError::Absent) => {
                caller.exec(Step::Write, &self.name, &Script::remove(path), Vec::new())
            }
            Err(error) => Err(RunError::Precondition {
                what: format!("cannot read {}: {error}", path.display()),
                hint: None,
            }),
        }
    }

    /// The host's command line, wrapped to run in the sandbox. It keeps its environment, which identifies the
    /// processes of a run and carries secrets.
    pub fn wrap(&self, command: CommandLine) -> Result<CommandLine, RunError> {
        let CommandLine { args, environment, stdin, .. } = command;
        let mut call = SessionCall { args, prompt: stdin, ..SessionCall::default() };
        for (name, value) in last_of_each(&environment) {
            match value {
                Value::Removed => {}
                Value::Shown(value) => call.variables.push((name.clone(), value.clone())),
                Value::Secret(_) => call.secrets.push(name.clone()),
            }
        }
        let args =
            call.arguments(&self.cli, &self.name).map_err(|refused| RunError::Precondition {
                what: format!("cannot start the session in the sandbox: {refused}"),
                hint: None,
            })?;
        Ok(CommandLine {
            program: self.cli.program.clone(),
            args,
            environment,
            stdin: String::new(),
        })
    }

    /// Waits for file changes on their way to the host, and ends what still runs in the sandbox.
    pub fn after_session(
        &mut self,
        ground: SandboxContext<'_>,
        end: SessionEnd,
    ) -> Result<(), RunError> {
        ground.switch.requests().wait(self.settle);
        if end == SessionEnd::Cut {
            self.sync_state = SyncState::NotStopped;
            Caller { cli: &self.cli, ground }.stop_regardless(&self.name)?;
            self.sync_state = SyncState::Stopped;
        } else {
            // Without git, changes cannot be detected; only a new run restarts the sandbox.
            let now = Fingerprint::take(ground.layout);
            self.sync_state = now.map_or(SyncState::UpToDate, SyncState::Seen);
        }
        Ok(())
    }
}

/// The last value of each variable.
fn last_of_each(environment: &[(OsString, Value)]) -> impl Iterator<Item = &(OsString, Value)> {
    environment.iter().enumerate().filter_map(|(index, variable)| {
        let again = environment[index + 1..].iter().any(|(name, _)| *name == variable.0);
        (!again).then_some(variable)
    })
}
