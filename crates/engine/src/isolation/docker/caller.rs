//! Calls the command line of Docker Sandboxes, one step after the other.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use events::StopSignal;
use isolation::docker::{Cli, CliDialect, SandboxName, SandboxStatus, Script, in_json, in_table};
use supervise::{ProgramCall, ProgramOutput, ProgramRunner, StopRequests};

use super::sandbox::SandboxContext;
use crate::RunError;

/// One call to the sandbox, with its time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub(super) enum SandboxStep {
    #[strum(to_string = "listing the sandboxes")]
    List,
    #[strum(to_string = "creating the sandbox")]
    Create,
    #[strum(to_string = "linking Claude Code's files in the sandbox")]
    LinkState,
    #[strum(to_string = "setting the git identity in the sandbox")]
    SetIdentity,
    #[strum(to_string = "limiting the network of the sandbox")]
    LimitNetwork,
    #[strum(to_string = "writing a file in the sandbox")]
    Write,
    #[strum(to_string = "stopping the sandbox")]
    Stop,
}

impl SandboxStep {
    fn limit(self) -> Duration {
        Duration::from_secs(match self {
            // A daemon may start first.
            Self::List => 60,
            // Docker may pull an image first.
            Self::Create => 30 * 60,
            // A virtual machine may start first.
            Self::LinkState | Self::SetIdentity | Self::LimitNetwork | Self::Write => 180,
            Self::Stop => 120,
        })
    }
}

pub(super) struct Caller<'c> {
    pub(super) cli: &'c Cli,
    pub(super) context: SandboxContext<'c>,
}

impl Caller<'_> {
    /// The status of the sandbox, if it exists.
    pub(super) fn find(&self, name: &SandboxName) -> Result<Option<SandboxStatus>, RunError> {
        let json = self.call(SandboxStep::List, self.cli.list_as_json(), Vec::new());
        let listed = match json.ok().and_then(|json| in_json(&json.stdout).ok()) {
            Some(listed) => listed,
            None => {
                let table = self.call(SandboxStep::List, self.cli.list(), Vec::new())?;
                in_table(&table.stdout)
                    .map_err(|error| self.failed(SandboxStep::List, &error.to_string()))?
            }
        };
        Ok(listed.into_iter().find(|listed| listed.name == name.as_str()).map(|found| found.status))
    }

    pub(super) fn exec(
        &self,
        step: SandboxStep,
        name: &SandboxName,
        script: &Script,
        input: Vec<u8>,
    ) -> Result<(), RunError> {
        self.call(step, self.cli.exec(name, script), input).map(drop)
    }

    pub(super) fn stop(&self, name: &SandboxName) -> Result<(), RunError> {
        self.call(SandboxStep::Stop, self.cli.stop(name), Vec::new()).map(drop)
    }

    /// Also while the run is being stopped.
    pub(super) fn stop_regardless(&self, name: &SandboxName) -> Result<(), RunError> {
        let args = self.cli.stop(name);
        self.call_until(&StopRequests::new(), SandboxStep::Stop, args, Vec::new()).map(drop)
    }

    pub(super) fn call(
        &self,
        step: SandboxStep,
        args: Vec<OsString>,
        input: Vec<u8>,
    ) -> Result<ProgramOutput, RunError> {
        let called = self.call_until(self.context.switch.requests(), step, args, input);
        // The error of a program that was ended for it does not matter.
        called.map_err(|error| self.context.stopped(step).unwrap_or(error))
    }

    fn call_until(
        &self,
        stop: &StopRequests,
        step: SandboxStep,
        args: Vec<OsString>,
        input: Vec<u8>,
    ) -> Result<ProgramOutput, RunError> {
        let call = ProgramCall::new(&self.cli.program, args, step.limit());
        match self.context.runner(stop).run(ProgramCall { input, ..call }) {
            Ok(answer) if answer.succeeded() => Ok(answer),
            Ok(answer) if step == SandboxStep::Stop && is_stopped(&answer.error_text()) => {
                Ok(answer)
            }
            Ok(answer) => Err(self.failed(step, &answer.error_text())),
            Err(error) => Err(self.failed(step, &error.to_string())),
        }
    }

    fn failed(&self, step: SandboxStep, why: &str) -> RunError {
        let what = format!("{step} failed: `{}` says: {why}", self.cli);
        RunError::precondition(what, hint_for(self.cli, why))
    }
}

/// A sandbox that stopped meanwhile is fine.
fn is_stopped(error: &str) -> bool {
    let error = error.to_lowercase();
    ["not running", "already stopped"].iter().any(|words| error.contains(words))
}

impl SandboxContext<'_> {
    pub(super) fn runner<'q>(&'q self, stop: &'q StopRequests) -> ProgramRunner<'q> {
        let folder: &Path = self.layout.root();
        ProgramRunner { keeper: self.keeper, folder, stop }
    }

    /// The error for an interrupted step, if the run is being stopped.
    pub(super) fn stopped(&self, during: impl fmt::Display) -> Option<RunError> {
        let end = self.switch.requested().map(StopSignal::end)?;
        Some(RunError::Stopped { during: during.to_string(), end })
    }
}

/// A hint for common errors.
pub(super) fn hint_for(cli: &Cli, error: &str) -> String {
    let error = error.to_lowercase();
    let mentions = |words: &[&str]| words.iter().any(|word| error.contains(word));
    match cli.dialect {
        CliDialect::DockerSandbox => {
            "start Docker Desktop, or install `sbx`, the successor of `docker sandbox`".into()
        }
        _ if mentions(&["authenticat", "login", "log in", "sign in"]) => {
            "sign in to Docker with `sbx login`".into()
        }
        _ if mentions(&["policy"]) => {
            "set the network policy once with `sbx policy init balanced`".into()
        }
        _ => "check the installation with `sbx diagnose`, or run without it: `--no-sandbox`".into(),
    }
}
