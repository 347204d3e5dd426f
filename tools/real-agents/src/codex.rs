//! The real Codex, in a home of its own and without an account.
//!
//! This module sets up the program: path, home, settings, environment. The tests choose its
//! arguments.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use simulator::{ScratchFolders, ScriptedModel};

use crate::command_outcome::CommandOutcome;
use crate::harness_error::HarnessError;
use crate::process::Launch;

/// The environment variable with the path of the tested Codex.
pub const CODEX_PATH_VARIABLE: &str = "RALPH_TEST_CODEX";

/// Many times the duration of a scripted session, for busy machines.
const TIME_LIMIT: Duration = Duration::from_secs(90);

/// A Codex program with a fresh home, removed when dropped.
#[derive(Debug)]
pub struct Codex {
    program: PathBuf,
    folders: ScratchFolders,
}

impl Codex {
    /// The program that [`CODEX_PATH_VARIABLE`] names; `None` if it is unset or empty.
    pub fn program_from_env() -> Option<PathBuf> {
        let program = std::env::var_os(CODEX_PATH_VARIABLE)?;
        (!program.is_empty()).then(|| program.into())
    }

    /// An empty home, with an empty project beside it.
    pub fn new(program: impl Into<PathBuf>) -> io::Result<Self> {
        let codex = Self { program: program.into(), folders: ScratchFolders::new("codex-home-")? };
        std::fs::create_dir(codex.settings())?;
        Ok(codex)
    }

    /// Connects later sessions to this model. Codex has no variable for that, so the address is
    /// written into its settings.
    pub fn connect(&self, model: &ScriptedModel) -> io::Result<()> {
        std::fs::write(self.settings().join("config.toml"), config(&model.url()))
    }

    /// The path of the program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// `HOME` of the program.
    pub fn home(&self) -> PathBuf {
        self.folders.home()
    }

    /// The project of its sessions.
    pub fn project(&self) -> PathBuf {
        self.folders.project()
    }

    /// The whole environment of Codex, also for another program that starts it.
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        let mut environment = self.folders.environment();
        environment.push(("CODEX_HOME".into(), self.settings().into()));
        environment.push(("CODEX_API_KEY".into(), "no-account".into()));
        environment.push(("TMPDIR".into(), self.folders.scratch().into()));
        // Codex prints times in the local time zone; the test has the same.
        environment.extend(std::env::var_os("TZ").map(|zone| ("TZ".into(), zone)));
        environment
    }

    /// Runs it to its end, with these additional variables. A failed session is an outcome too:
    /// check the exit code.
    pub fn run(
        &self,
        args: Vec<OsString>,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        input: impl Into<Vec<u8>>,
    ) -> Result<CommandOutcome, HarnessError> {
        let mut environment = self.environment();
        environment.extend(variables);
        CommandOutcome::of(Launch {
            program: self.program.clone(),
            args,
            environment,
            folder: self.project(),
            input: input.into(),
            time_limit: TIME_LIMIT,
        })
    }

    fn settings(&self) -> PathBuf {
        self.home().join(".codex")
    }
}

/// Plugins are off because Codex would download their catalogue. Errors of the scripted model are
/// permanent, so one retry is enough.
fn config(url: &str) -> String {
    format!(
        r#"model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "CODEX_API_KEY"
request_max_retries = 1
stream_max_retries = 1

[analytics]
enabled = false

[features]
plugins = false
"#
    )
}
