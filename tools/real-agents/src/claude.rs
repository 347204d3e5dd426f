//! The real Claude Code, in a home of its own and without an account.
//!
//! This module sets up the program: path, home, plugins. `session` runs it.

mod outcome;
mod session;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use simulator::{ScratchFolders, ScriptedModel};

pub use self::outcome::{HookResponse, Outcome};
pub use self::session::Session;
use crate::command_outcome::CommandOutcome;
use crate::harness_error::HarnessError;
use crate::process::Launch;

/// The environment variable with the path of the tested Claude Code.
pub const CLAUDE_PATH_VARIABLE: &str = "RALPH_TEST_CLAUDE";

/// The environment variable with the path of an MCP server for node (a knowledge graph).
pub const MEMORY_SERVER_PATH_VARIABLE: &str = "RALPH_TEST_MEMORY_SERVER";

/// For `claude plugin …`, which takes about a second.
const PLUGIN_COMMAND_LIMIT: Duration = Duration::from_secs(60);

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

/// A Claude Code program with a fresh home directory, removed when dropped.
#[derive(Debug)]
pub struct Home {
    claude: ClaudeCode,
    folders: ScratchFolders,
}

impl Home {
    /// An empty home, with an empty project beside it.
    pub fn new(claude: &ClaudeCode) -> io::Result<Self> {
        Ok(Self { claude: claude.clone(), folders: ScratchFolders::new("claude-home-")? })
    }

    /// `HOME` of the program.
    pub fn path(&self) -> PathBuf {
        self.folders.home()
    }

    /// The default project of a session.
    pub fn project(&self) -> PathBuf {
        self.folders.project()
    }

    /// Prepares a run of the agent against this model.
    pub fn session(&self, model: &ScriptedModel) -> Session<'_> {
        Session::new(self, model)
    }

    /// The whole environment for Claude Code with this model, for another program that starts it.
    pub fn environment(&self, model: &ScriptedModel) -> Vec<(OsString, OsString)> {
        self.folders.claude_environment(Some(model))
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

    /// Updates the marketplace and the plugin.
    pub fn update_plugin(&self, plugin: &str, marketplace: &str) -> Result<(), HarnessError> {
        self.expect_success(["plugin", "marketplace", "update"], marketplace)?;
        self.expect_success(["plugin", "update"], format!("{plugin}@{marketplace}"))
    }

    /// Uninstalls the plugin and its data.
    pub fn uninstall_plugin(&self, plugin: &str, marketplace: &str) -> Result<(), HarnessError> {
        self.expect_success(["plugin", "uninstall"], format!("{plugin}@{marketplace}"))
    }

    /// Runs `claude plugin validate DIR --strict`.
    pub fn validate_plugin(&self, dir: &Path) -> Result<CommandOutcome, HarnessError> {
        // The public plugin directory does not accept a catalogue alone.
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
            environment: self.folders.claude_environment(None),
            folder: self.project(),
            input: Vec::new(),
            time_limit: PLUGIN_COMMAND_LIMIT,
        })
    }
}

/// The installable plugins of `.claude-plugin/marketplace.json`.
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
