//! The environment that connects Claude Code in a temporary home to a scripted model without an account.

use std::ffi::OsString;

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

impl ScratchFolders {
    /// The whole environment for Claude Code, for another program that starts it. Commands such as
    /// `claude plugin` ask no model.
    pub fn claude_environment(&self, model: Option<&ScriptedModel>) -> Vec<(OsString, OsString)> {
        let mut environment = self.environment();
        environment.extend(ISOLATION.map(|(name, value)| (name.into(), value.into())));
        environment.push(("CLAUDE_CODE_TMPDIR".into(), self.scratch().into()));
        if let Some(model) = model {
            environment.push(("ANTHROPIC_BASE_URL".into(), model.url().into()));
            environment.push(("ANTHROPIC_API_KEY".into(), "no-account".into()));
        }
        environment
    }
}
