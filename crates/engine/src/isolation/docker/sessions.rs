//! What a sandbox needs before a session, in its call, and after it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use agents::{CommandLine, Value};
use isolation::docker::{FileSharing, Script, SessionCall};
use supervise::{Ended, Exit, How};

use super::caller::{Caller, Step};
use super::fingerprint::Fingerprint;
use super::{DockerSandbox, Ground, Standing};
use crate::RunError;

/// Larger than any file of the runner's own.
const LARGEST: u64 = 16 * 1024 * 1024;

/// What a session that is over may have left at work in the sandbox, where nobody sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    Complete,
    /// It was ended here, and may go on there.
    Cut,
}

impl From<&Ended> for SessionEnd {
    fn from(ended: &Ended) -> Self {
        match (ended.how, ended.exit) {
            (How::ByItself, Some(Exit::Code(_))) => Self::Complete,
            _ => Self::Cut,
        }
    }
}

impl DockerSandbox {
    /// Lets the sandbox see what the host did since its last session. `own` are files that the runner
    /// writes anew for every session.
    pub fn before_session(&mut self, ground: Ground<'_>, own: &[PathBuf]) -> Result<(), RunError> {
        match self.standing {
            Standing::Stopped => Ok(()),
            // The session starts it again, with what is on the host by then.
            _ if self.is_behind(ground) => Caller { cli: &self.cli, ground }.stop(&self.name),
            _ if self.cli.sharing() == FileSharing::Synced => {
                own.iter().try_for_each(|path| self.write_through(ground, path))
            }
            _ => Ok(()),
        }
    }

    fn is_behind(&self, ground: Ground<'_>) -> bool {
        match (self.standing, self.cli.sharing()) {
            (Standing::NotStopped, _) => true,
            (Standing::Seen(then), FileSharing::Synced) => {
                Fingerprint::take(ground.layout).is_some_and(|now| now != then)
            }
            _ => false,
        }
    }

    /// The file as it is on the host, past whatever carries files into the sandbox.
    fn write_through(&self, ground: Ground<'_>, path: &Path) -> Result<(), RunError> {
        let caller = Caller { cli: &self.cli, ground };
        match bounded_read::read_file(path, LARGEST) {
            Ok(bytes) => caller.exec(Step::Write, &self.name, &Script::write(path), bytes),
            Err(bounded_read::FileError::Absent) => {
                caller.exec(Step::Write, &self.name, &Script::remove(path), Vec::new())
            }
            Err(error) => Err(RunError::Precondition {
                what: format!("{} cannot be read: {error}", path.display()),
                hint: None,
            }),
        }
    }

    /// The call of a session on the host, as one in the sandbox. Its environment is kept: by it the
    /// processes of a run are known, and secrets travel in it.
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
        let args = call.words(&self.cli, &self.name).map_err(|refused| RunError::Precondition {
            what: format!("the session cannot be started in the sandbox: {refused}"),
            hint: None,
        })?;
        Ok(CommandLine {
            program: self.cli.program.clone(),
            args,
            environment,
            stdin: String::new(),
        })
    }

    /// Waits for what is on its way to the host, and ends what works on in the sandbox.
    pub fn after_session(&mut self, ground: Ground<'_>, end: SessionEnd) -> Result<(), RunError> {
        ground.switch.requests().wait(self.settle);
        if end == SessionEnd::Cut {
            self.standing = Standing::NotStopped;
            Caller { cli: &self.cli, ground }.stop_regardless(&self.name)?;
            self.standing = Standing::Stopped;
        } else {
            // Without git nobody can say, and only a new run starts the sandbox anew.
            let now = Fingerprint::take(ground.layout);
            self.standing = now.map_or(Standing::UpToDate, Standing::Seen);
        }
        Ok(())
    }
}

/// The later one counts.
fn last_of_each(environment: &[(OsString, Value)]) -> impl Iterator<Item = &(OsString, Value)> {
    environment.iter().enumerate().filter_map(|(index, variable)| {
        let again = environment[index + 1..].iter().any(|(name, _)| *name == variable.0);
        (!again).then_some(variable)
    })
}
