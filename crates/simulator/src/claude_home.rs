//! A temporary home of Claude Code, and the environment that connects it to a scripted model
//! without an account.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use crate::model::ScriptedModel;
use crate::scratch_folders::ScratchFolders;

/// Settings that prevent network traffic and updates.
const ISOLATION: [(&str, &str); 6] = [
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    // Errors of the scripted model are permanent; ten retries only cost time.
    ("CLAUDE_CODE_MAX_RETRIES", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("DISABLE_TELEMETRY", "1"),
    // As root it skips permissions only in a sandbox.
    ("IS_SANDBOX", "1"),
];

/// A fresh home directory for Claude Code, removed when dropped.
#[derive(Debug)]
pub struct ClaudeHome {
    folders: ScratchFolders,
}

impl ClaudeHome {
    /// An empty home, with an empty project beside it.
    pub fn new() -> io::Result<Self> {
        Ok(Self { folders: ScratchFolders::new("claude-home-")? })
    }

    /// `HOME` of the program.
    pub fn path(&self) -> PathBuf {
        self.folders.home()
    }

    /// The default project of a session.
    pub fn project(&self) -> PathBuf {
        self.folders.project()
    }

    /// The whole environment for Claude Code with this model, for another program that starts it.
    pub fn environment(&self, model: &ScriptedModel) -> Vec<(OsString, OsString)> {
        let mut environment = self.environment_without_model();
        environment.push(("ANTHROPIC_BASE_URL".into(), model.url().into()));
        environment.push(("ANTHROPIC_API_KEY".into(), "no-account".into()));
        environment
    }

    /// The whole environment for commands that ask no model, such as `claude plugin`.
    pub fn environment_without_model(&self) -> Vec<(OsString, OsString)> {
        let mut environment = self.folders.environment();
        environment.extend(ISOLATION.map(|(name, value)| (name.into(), value.into())));
        environment.push(("CLAUDE_CODE_TMPDIR".into(), self.folders.scratch().into()));
        environment
    }
}
