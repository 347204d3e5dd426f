//! The real Claude Code, in a home of its own and with no account.
//!
//! This module says what surrounds the program: where it lies, its home, its environment, its
//! plugins. One run of an agent is in `session`.

mod outcome;
mod session;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

pub use self::outcome::{HookResponse, Outcome};
pub use self::session::Session;
use crate::command_outcome::CommandOutcome;
use crate::harness_error::HarnessError;
use crate::model::ScriptedModel;
use crate::place::Place;
use crate::process::Launch;

/// The environment variable with the path of the Claude Code to test with.
pub const CLAUDE_PATH_VARIABLE: &str = "RALPH_TEST_CLAUDE";

/// The environment variable with the path of an MCP server that node runs: a knowledge graph.
pub const MEMORY_SERVER_PATH_VARIABLE: &str = "RALPH_TEST_MEMORY_SERVER";

/// For `claude plugin …`, which takes about a second.
const PLUGIN_COMMAND_LIMIT: Duration = Duration::from_secs(60);

/// What keeps Claude Code to itself, whatever it runs.
const ISOLATION: [(&str, &str); 6] = [
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    // The scripted model does not fail for a passing reason; ten retries only cost time.
    ("CLAUDE_CODE_MAX_RETRIES", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("DISABLE_TELEMETRY", "1"),
    // As root it refuses to skip permissions unless it believes itself in a sandbox.
    ("IS_SANDBOX", "1"),
];

/// A Claude Code program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaudeCode {
    program: PathBuf,
}

impl ClaudeCode {
    /// The program at this path.
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into() }
    }

    /// The program that [`CLAUDE_PATH_VARIABLE`] names; `None` if it is unset or empty.
    pub fn from_env() -> Option<Self> {
        let program = std::env::var_os(CLAUDE_PATH_VARIABLE)?;
        (!program.is_empty()).then(|| Self::at(program))
    }
}

/// A fresh home directory for Claude Code, removed when dropped.
#[derive(Debug)]
pub struct Home {
    claude: ClaudeCode,
    place: Place,
}

impl Home {
    /// An empty home, with an empty project beside it.
    pub fn new(claude: &ClaudeCode) -> io::Result<Self> {
        Ok(Self { claude: claude.clone(), place: Place::new("claude-home-")? })
    }

    /// What the program sees as `HOME`.
    pub fn path(&self) -> PathBuf {
        self.place.home()
    }

    /// The project that a session works in unless it is given another one.
    pub fn project(&self) -> PathBuf {
        self.place.project()
    }

    /// Prepares a run of the agent against this model.
    pub fn session(&self, model: &ScriptedModel) -> Session<'_> {
        Session::new(self, model)
    }

    /// The whole environment in which Claude Code talks to this model, for a program that starts it
    /// by itself.
    pub fn environment(&self, model: &ScriptedModel) -> Vec<(OsString, OsString)> {
        let mut environment = self.without_model();
        environment.push(("ANTHROPIC_BASE_URL".into(), model.url().into()));
        environment.push(("ANTHROPIC_API_KEY".into(), "no-account".into()));
        environment
    }

    /// Adds the folder as a marketplace and installs every plugin that its catalogue
    /// `.claude-plugin/marketplace.json` lists.
    pub fn install_plugin(&self, plugin_root: &Path) -> Result<(), HarnessError> {
        let catalogue = Catalogue::read(plugin_root)?;
        self.expect_success(["plugin", "marketplace", "add"], plugin_root)?;
        for plugin in catalogue.plugins {
            let name = format!("{}@{}", plugin.name, catalogue.name);
            self.expect_success(["plugin", "install"], name)?;
        }
        Ok(())
    }

    /// Fetches what the marketplace has by now, and the plugin of it as an update.
    pub fn update_plugin(&self, plugin: &str, marketplace: &str) -> Result<(), HarnessError> {
        self.expect_success(["plugin", "marketplace", "update"], marketplace)?;
        self.expect_success(["plugin", "update"], format!("{plugin}@{marketplace}"))
    }

    /// Uninstalls the plugin, with what it keeps.
    pub fn uninstall_plugin(&self, plugin: &str, marketplace: &str) -> Result<(), HarnessError> {
        self.expect_success(["plugin", "uninstall"], format!("{plugin}@{marketplace}"))
    }

    /// Asks `claude plugin validate DIR --strict` for its opinion, good or bad.
    pub fn validate_plugin(&self, dir: &Path) -> Result<CommandOutcome, HarnessError> {
        // A catalogue alone is nothing that the public directory of plugins could take.
        let profile: &[&str] = if dir.is_dir() { &["--profile", "directory"] } else { &[] };
        let args = ["plugin", "validate", "--strict"].iter().chain(profile).map(OsString::from);
        self.run(args.chain([dir.into()]).collect())
    }

    fn expect_success<const N: usize>(
        &self,
        verb: [&str; N],
        object: impl Into<OsString>,
    ) -> Result<(), HarnessError> {
        let args = verb.map(OsString::from).into_iter().chain([object.into()]);
        let outcome = self.run(args.collect())?;
        if outcome.exit_code == Some(0) {
            return Ok(());
        }
        Err(HarnessError::Refused { command: verb.join(" "), outcome })
    }

    fn run(&self, args: Vec<OsString>) -> Result<CommandOutcome, HarnessError> {
        CommandOutcome::of(Launch {
            program: self.claude.program.clone(),
            args,
            environment: self.without_model(),
            folder: self.project(),
            input: Vec::new(),
            time_limit: PLUGIN_COMMAND_LIMIT,
        })
    }

    fn without_model(&self) -> Vec<(OsString, OsString)> {
        let mut environment = self.place.environment();
        environment.extend(ISOLATION.map(|(name, value)| (name.into(), value.into())));
        environment.push(("CLAUDE_CODE_TMPDIR".into(), self.place.scratch().into()));
        environment
    }
}

/// The part of `.claude-plugin/marketplace.json` that says what can be installed.
#[derive(Debug, Deserialize)]
struct Catalogue {
    name: String,
    plugins: Vec<CataloguePlugin>,
}

#[derive(Debug, Deserialize)]
struct CataloguePlugin {
    name: String,
}

impl Catalogue {
    fn read(plugin_root: &Path) -> Result<Self, HarnessError> {
        let path = plugin_root.join(".claude-plugin/marketplace.json");
        let parsed = std::fs::read(&path).and_then(|text| Ok(serde_json::from_slice(&text)?));
        parsed.map_err(|source| HarnessError::Catalogue { path, source })
    }
}
