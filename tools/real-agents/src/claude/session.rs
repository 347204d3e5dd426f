//! One run of the agent: `claude -p` with a prompt on its standard input.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use simulator::{ScriptedModel, Uuid};

use super::{Home, Outcome};
use crate::harness_error::HarnessError;
use crate::process::{self, Launch};

/// Many times the duration of a scripted session, for busy machines.
const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(90);

const ARGUMENTS: [&str; 6] = [
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--include-hook-events",
    "--dangerously-skip-permissions",
];

/// A session to run. Built by [`Home::session`].
#[derive(Clone, Debug)]
#[must_use = "nothing happens until `run`"]
pub struct Session<'a> {
    home: &'a Home,
    args: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    project: PathBuf,
    prompt: String,
    time_limit: Duration,
}

impl<'a> Session<'a> {
    pub(super) fn new(home: &'a Home, model: &ScriptedModel) -> Self {
        Self {
            home,
            args: ARGUMENTS.map(OsString::from).into(),
            environment: home.environment(model),
            project: home.project(),
            prompt: "Go on.".to_owned(),
            time_limit: DEFAULT_TIME_LIMIT,
        }
    }

    /// The working folder, instead of the empty one of the home.
    pub fn project(mut self, project: impl Into<PathBuf>) -> Self {
        self.project = project.into();
        self
    }

    /// Adds or replaces a variable.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// The session id, instead of a random one.
    pub fn session_id(self, id: Uuid) -> Self {
        self.arg("--session-id").arg(id.to_string())
    }

    /// A plugin for this session only, used in place.
    pub fn plugin_dir(self, plugin: impl Into<OsString>) -> Self {
        self.arg("--plugin-dir").arg(plugin)
    }

    /// Adds an argument of `claude`.
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.args.push(argument.into());
        self
    }

    /// The prompt.
    pub fn prompt(mut self, prompt: impl Into<String>) -> Self {
        self.prompt = prompt.into();
        self
    }

    /// The time limit.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// Runs it to its end. A failed agent is an [`Outcome`] too: check the exit code.
    pub fn run(self) -> Result<Outcome, HarnessError> {
        let limit = self.time_limit;
        let ended = process::run(Launch {
            program: self.home.claude.program.clone(),
            args: self.args,
            environment: self.environment,
            folder: self.project,
            input: self.prompt.into_bytes(),
            time_limit: limit,
        })?;
        let outcome = Outcome::from(ended.output);
        if ended.in_time {
            Ok(outcome)
        } else {
            let until_then = Box::new(outcome);
            Err(HarnessError::TimeLimit { limit, until_then })
        }
    }
}
