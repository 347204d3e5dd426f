//! The real Codex, in a home of its own and with no account.
//!
//! It says what surrounds the program: where it lies, its home, its settings, its environment. How
//! it is called is for the one who calls it: that is what the tests are about.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::command_outcome::CommandOutcome;
use crate::harness_error::HarnessError;
use crate::model::ScriptedModel;
use crate::place::Place;
use crate::process::Launch;

/// The environment variable with the path of the Codex to test with.
pub const CODEX_PATH_VARIABLE: &str = "RALPH_TEST_CODEX";

/// Many times what a scripted session needs, also on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(90);

/// A Codex program with a fresh home, removed when dropped.
#[derive(Debug)]
pub struct Codex {
    program: PathBuf,
    place: Place,
}

impl Codex {
    /// The program that [`CODEX_PATH_VARIABLE`] names; `None` if it is unset or empty.
    pub fn program_from_env() -> Option<PathBuf> {
        let program = std::env::var_os(CODEX_PATH_VARIABLE)?;
        (!program.is_empty()).then(|| program.into())
    }

    /// An empty home, with an empty project beside it.
    pub fn new(program: impl Into<PathBuf>) -> io::Result<Self> {
        let codex = Self { program: program.into(), place: Place::new("codex-home-")? };
        std::fs::create_dir(codex.settings())?;
        Ok(codex)
    }

    /// From now on its sessions talk to this model. Codex knows no variable for that, so it is
    /// written into the home.
    pub fn connect(&self, model: &ScriptedModel) -> io::Result<()> {
        std::fs::write(self.settings().join("config.toml"), config(&model.url()))
    }

    /// Where the program lies.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// What the program sees as `HOME`.
    pub fn home(&self) -> PathBuf {
        self.place.home()
    }

    /// The project that it works in.
    pub fn project(&self) -> PathBuf {
        self.place.project()
    }

    /// The whole environment in which Codex runs, also for a program that starts it by itself.
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        let mut environment = self.place.environment();
        environment.push(("CODEX_HOME".into(), self.settings().into()));
        environment.push(("CODEX_API_KEY".into(), "no-account".into()));
        environment.push(("TMPDIR".into(), self.place.scratch().into()));
        // It tells hours in the zone of its reader, who is the test.
        environment.extend(std::env::var_os("TZ").map(|zone| ("TZ".into(), zone)));
        environment
    }

    /// Runs it to its end, with these variables besides its own. A session that fails is an
    /// outcome too: look at the exit code.
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

/// The plugins are off because their catalogue is fetched from the network, even where none is in
/// use. The scripted model does not fail for a passing reason, so one retry shows them all.
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
