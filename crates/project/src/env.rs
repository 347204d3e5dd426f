//! Every environment variable that the program reads or sets for an agent.

use std::path::{Path, PathBuf};

use tasks::Sha256Digest;

/// Set for the agent: the run of its session.
pub const RALPH_RUN_ID: &str = "RALPH_RUN_ID";

/// Set for the agent: sha256 of the marker as the runner wrote it, to detect a rewrite.
pub const RALPH_MARKER_SHA256: &str = "RALPH_MARKER_SHA256";

/// Set for the agent: the project of its run, the only place where a missing marker counts as removed.
pub const RALPH_PROJECT_DIR: &str = "RALPH_PROJECT_DIR";

/// Set for the agent: the rules of the run for command-guard, as JSON.
pub const RALPH_COMMAND_RULES: &str = "RALPH_COMMAND_RULES";

/// Set for the agent: the number of its iteration.
pub const RALPH_ITERATION: &str = "RALPH_ITERATION";

/// Set for the agent: the iteration limit of the run.
pub const RALPH_MAX_ITERATIONS: &str = "RALPH_MAX_ITERATIONS";

/// Read, and set for the agent if the run is exported as a trace: the span above its own, as W3C Trace Context says.
pub const TRACEPARENT: &str = "TRACEPARENT";

/// Set for setup commands, checks and the agent in a lane: the number of the lane, from 1.
pub const RALPH_LANE: &str = "RALPH_LANE";

/// Set for setup commands, checks and the agent in a lane: the first of 100 ports that no other lane of the run uses.
pub const RALPH_PORT_BASE: &str = "RALPH_PORT_BASE";

/// Read by `ralph-loop serve`: the token of its link; random if not set.
pub const RALPH_SERVE_TOKEN: &str = "RALPH_SERVE_TOKEN";

/// Read, and set for the agent once known: the size of the model's context window in tokens.
pub const CLAUDE_CONTEXT_WINDOW: &str = "CLAUDE_CONTEXT_WINDOW";

/// Set by Claude Code for hooks: the folder where the session was started.
pub const CLAUDE_PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";

/// Set by Claude Code for hooks: a folder of the plugin that survives updates.
pub const CLAUDE_PLUGIN_DATA: &str = "CLAUDE_PLUGIN_DATA";

/// Set by Claude Code for hooks: the folder of their plugin.
pub const CLAUDE_PLUGIN_ROOT: &str = "CLAUDE_PLUGIN_ROOT";

/// Read by Claude Code: after how many blocked stops in a row it ends the session regardless.
pub const CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/// Read by Claude Code: after how many rejected structured answers it ends the session as failed.
pub const MAX_STRUCTURED_OUTPUT_RETRIES: &str = "MAX_STRUCTURED_OUTPUT_RETRIES";

/// Read by Claude Code: if on, every model is limited to a window of 200,000 tokens.
pub const CLAUDE_CODE_DISABLE_1M_CONTEXT: &str = "CLAUDE_CODE_DISABLE_1M_CONTEXT";

/// Read: the webhook for notifications; overrides the settings.
pub const RALPH_WEBHOOK_URL: &str = "RALPH_WEBHOOK_URL";

/// Removed from the environment of agents and checks: they could post in the user's name, or read what only
/// the user may see. Also the access tokens for forges.
pub const KEPT_BACK: [&str; 9] = [
    RALPH_WEBHOOK_URL,
    RALPH_SERVE_TOKEN,
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GH_ENTERPRISE_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "FORGEJO_TOKEN",
    "GITEA_TOKEN",
    "GITLAB_TOKEN",
];

/// Set for the notification command: the text.
pub const RALPH_NOTICE_TEXT: &str = "RALPH_NOTICE_TEXT";

/// Set for the notification command: the kind of event.
pub const RALPH_NOTICE_KIND: &str = "RALPH_NOTICE_KIND";

/// Set for the notification command: `finished`, `failed` or `needs-attention`.
pub const RALPH_NOTICE_CLASS: &str = "RALPH_NOTICE_CLASS";

/// Set for the notification command: the run. Not as [`RALPH_RUN_ID`], which identifies processes of an agent.
pub const RALPH_NOTICE_RUN: &str = "RALPH_NOTICE_RUN";

/// Set for the notification command: the project's name.
pub const RALPH_NOTICE_PROJECT: &str = "RALPH_NOTICE_PROJECT";

/// Set for the notification command: the story's id, or empty.
pub const RALPH_NOTICE_STORY: &str = "RALPH_NOTICE_STORY";

/// The loop of a session according to the environment. The agent cannot change it: a hook inherits it from Claude
/// Code, which inherits it from the runner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoopEnvironment {
    pub run_id: Option<String>,
    pub marker_sha256: Option<Sha256Digest>,
    pub project_dir: Option<PathBuf>,
}

impl LoopEnvironment {
    pub fn from_process() -> Self {
        Self {
            run_id: variable(RALPH_RUN_ID),
            project_dir: folder(RALPH_PROJECT_DIR),
            marker_sha256: variable(RALPH_MARKER_SHA256).map(|text| Sha256Digest::from_hex(&text)),
        }
    }
}

/// The folder where a hook's session was started. The agent may have changed its working folder, which is
/// only the fallback.
pub fn project_dir(working_folder: Option<&Path>) -> PathBuf {
    folder(CLAUDE_PROJECT_DIR)
        .or_else(|| working_folder.map(Path::to_path_buf))
        .unwrap_or_else(|| PathBuf::from("."))
}

/// The plugin's own folder, if any.
pub fn plugin_data() -> Option<PathBuf> {
    folder(CLAUDE_PLUGIN_DATA)
}

pub fn plugin_root() -> Option<PathBuf> {
    folder(CLAUDE_PLUGIN_ROOT)
}

pub fn path() -> Option<std::ffi::OsString> {
    std::env::var_os("PATH").filter(|path| !path.is_empty())
}

pub fn home() -> Option<PathBuf> {
    folder("HOME").or_else(|| folder("USERPROFILE"))
}

/// Whether a switch is on, by the rules of Claude Code.
pub fn is_on(name: &str) -> bool {
    let value = variable(name).unwrap_or_default().to_ascii_lowercase();
    ["1", "true", "yes", "on"].contains(&value.trim())
}

/// A path in the encoding of the system.
fn folder(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// A non-empty variable.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
