//! What a sandbox needs before, during and after a session.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use agents::{CommandLine, Value};
use isolation::docker::{FileSharing, Script, SessionCall};

use super::caller::{Caller, SandboxStep};
use super::fingerprint::Fingerprint;
use super::sandbox::{DockerSandbox, SandboxContext, SyncState};
use crate::RunError;

const LARGEST: u64 = 16 * 1024 * 1024;

impl DockerSandbox {
    /// Makes host changes since the last session visible in the sandbox. `own` are files that the runner
    /// writes again for every session.
    pub fn before_session(
        &mut self,
        context: SandboxContext<'_>,
        own: &[PathBuf],
    ) -> Result<(), RunError> {
        match self.sync_state {
            SyncState::Stopped => Ok(()),
            // The session starts it again, with the current files of the host.
            _ if self.is_behind(context) => Caller { cli: &self.cli, context }.stop(&self.name),
            _ if self.cli.sharing() == FileSharing::Synced => {
                own.iter().try_for_each(|path| self.write_through(context, path))
            }
            _ => Ok(()),
        }
    }

    fn is_behind(&self, context: SandboxContext<'_>) -> bool {
        match (self.sync_state, self.cli.sharing()) {
            (SyncState::NotStopped, _) => true,
            (SyncState::Seen(then), FileSharing::Synced) => {
                Fingerprint::take(context.layout).is_some_and(|now| now != then)
            }
            _ => false,
        }
    }

    /// Writes the host's version of the file directly, because file sharing may lag behind.
    fn write_through(&self, context: SandboxContext<'_>, path: &Path) -> Result<(), RunError> {
        let caller = Caller { cli: &self.cli, context };
        match bounded_read::read_file(path, LARGEST) {
            Ok(bytes) => caller.exec(SandboxStep::Write, &self.name, &Script::write(path), bytes),
            Err(bounded_read::FileError::Absent) => {
                caller.exec(SandboxStep::Write, &self.name, &Script::remove(path), Vec::new())
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

    /// Waits for file changes on their way to the host.
    pub fn after_session(&mut self, context: SandboxContext<'_>) {
        context.switch.requests().wait(self.settle);
        // Without git, changes cannot be detected; only a new run restarts the sandbox.
        let now = Fingerprint::take(context.layout);
        self.sync_state = now.map_or(SyncState::UpToDate, SyncState::Seen);
    }

    /// Stops the sandbox as well: a session that was ended on the host may still run in it.
    pub fn after_interrupted_session(
        &mut self,
        context: SandboxContext<'_>,
    ) -> Result<(), RunError> {
        context.switch.requests().wait(self.settle);
        self.sync_state = SyncState::NotStopped;
        Caller { cli: &self.cli, context }.stop_regardless(&self.name)?;
        self.sync_state = SyncState::Stopped;
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
