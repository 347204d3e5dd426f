//! The command line of Docker Sandboxes, called for one step after the other.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use isolation::docker::{Cli, Dialect, SandboxName, Script, Status, in_json, in_table};
use supervise::StopRequests;

use super::Ground;
use crate::quick::{Answer, Question, Quick};
use crate::{RunError, StopSignal};

/// One thing that is asked of the sandbox, and how long it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    List,
    Create,
    LinkState,
    SetIdentity,
    LimitNetwork,
    Write,
    Stop,
}

impl Step {
    fn limit(self) -> Duration {
        Duration::from_secs(match self {
            // A daemon may have to be started first.
            Self::List => 60,
            // An image may have to be fetched first.
            Self::Create => 30 * 60,
            // A machine may have to be started first.
            Self::LinkState | Self::SetIdentity | Self::LimitNetwork | Self::Write => 180,
            Self::Stop => 120,
        })
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::List => "listing the sandboxes",
            Self::Create => "making the sandbox",
            Self::LinkState => "linking Claude Code's files in the sandbox",
            Self::SetIdentity => "telling git in the sandbox who commits",
            Self::LimitNetwork => "limiting the network of the sandbox",
            Self::Write => "writing a file in the sandbox",
            Self::Stop => "stopping the sandbox",
        })
    }
}

pub(super) struct Caller<'c> {
    pub(super) cli: &'c Cli,
    pub(super) ground: Ground<'c>,
}

impl Caller<'_> {
    /// How the sandbox is, if it is there.
    pub(super) fn find(&self, name: &SandboxName) -> Result<Option<Status>, RunError> {
        let json = self.call(Step::List, self.cli.list_as_json(), Vec::new());
        let listed = match json.ok().and_then(|json| in_json(&json.stdout).ok()) {
            Some(listed) => listed,
            None => {
                let table = self.call(Step::List, self.cli.list(), Vec::new())?;
                in_table(&table.stdout)
                    .map_err(|error| self.failed(Step::List, &error.to_string()))?
            }
        };
        Ok(listed.into_iter().find(|listed| listed.name == name.as_str()).map(|found| found.status))
    }

    pub(super) fn exec(
        &self,
        step: Step,
        name: &SandboxName,
        script: &Script,
        input: Vec<u8>,
    ) -> Result<(), RunError> {
        self.call(step, self.cli.exec(name, script), input).map(drop)
    }

    pub(super) fn stop(&self, name: &SandboxName) -> Result<(), RunError> {
        self.call(Step::Stop, self.cli.stop(name), Vec::new()).map(drop)
    }

    /// Also when the run is to end: that is when it matters most.
    pub(super) fn stop_regardless(&self, name: &SandboxName) -> Result<(), RunError> {
        let args = self.cli.stop(name);
        self.call_until(&StopRequests::new(), Step::Stop, args, Vec::new()).map(drop)
    }

    pub(super) fn call(
        &self,
        step: Step,
        args: Vec<OsString>,
        input: Vec<u8>,
    ) -> Result<Answer, RunError> {
        let called = self.call_until(self.ground.switch.requests(), step, args, input);
        // Whatever a program says that was ended for it.
        called.map_err(|error| self.ground.stopped(step).unwrap_or(error))
    }

    fn call_until(
        &self,
        stop: &StopRequests,
        step: Step,
        args: Vec<OsString>,
        input: Vec<u8>,
    ) -> Result<Answer, RunError> {
        match self.ground.quick(stop).ask(Question {
            program: &self.cli.program,
            args,
            environment: Vec::new(),
            input,
            limit: step.limit(),
        }) {
            Ok(answer) if answer.succeeded() => Ok(answer),
            Ok(answer) if step == Step::Stop && is_stopped(&answer.complaint()) => Ok(answer),
            Ok(answer) => Err(self.failed(step, &answer.complaint())),
            Err(error) => Err(self.failed(step, &error.to_string())),
        }
    }

    fn failed(&self, step: Step, why: &str) -> RunError {
        let what = format!("{step} failed: `{}` says: {why}", self.cli);
        RunError::precondition(what, way_out(self.cli, why))
    }
}

/// One that has stopped by itself meanwhile is as good.
fn is_stopped(complaint: &str) -> bool {
    let complaint = complaint.to_lowercase();
    ["not running", "already stopped"].iter().any(|words| complaint.contains(words))
}

impl Ground<'_> {
    pub(super) fn quick<'q>(&'q self, stop: &'q StopRequests) -> Quick<'q> {
        let folder: &Path = self.layout.root();
        Quick { keeper: self.keeper, folder, stop }
    }

    /// Why something did not come to its end, if somebody wanted the run to end meanwhile.
    pub(super) fn stopped(&self, during: impl fmt::Display) -> Option<RunError> {
        let end = self.switch.heard().map(StopSignal::end)?;
        Some(RunError::Stopped { during: during.to_string(), end })
    }
}

/// What helps against the usual complaints.
pub(super) fn way_out(cli: &Cli, complaint: &str) -> String {
    let complaint = complaint.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| complaint.contains(word));
    match cli.dialect {
        Dialect::DockerSandbox => {
            "start Docker Desktop, or install `sbx`, which has taken the place of `docker sandbox`".into()
        }
        _ if says(&["authenticat", "login", "log in", "sign in"]) => "`sbx login` signs in to Docker".into(),
        _ if says(&["policy"]) => "`sbx policy init balanced` sets the rules of the network once".into(),
        _ => "`sbx diagnose` finds what is wrong with the installation; `--no-sandbox` goes on without".into(),
    }
}
