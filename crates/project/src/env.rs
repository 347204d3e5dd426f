//! Every environment variable the program reads or gives to an agent, each with a sentence.

use std::path::{Path, PathBuf};

use tasks::Sha256Digest;

/// Given to the agent: the run its session belongs to.
pub const RALPH_RUN_ID: &str = "RALPH_RUN_ID";

/// Given to the agent: sha256 of the marker as the runner wrote it, so that a rewrite shows.
pub const RALPH_MARKER_SHA256: &str = "RALPH_MARKER_SHA256";

/// Given to the agent: the project of its run, so that a marker is missed there and nowhere else.
pub const RALPH_PROJECT_DIR: &str = "RALPH_PROJECT_DIR";

/// Given to the agent: what command-guard has to know of the run, as JSON.
pub const RALPH_COMMAND_RULES: &str = "RALPH_COMMAND_RULES";

/// Given to the agent: the number of its iteration.
pub const RALPH_ITERATION: &str = "RALPH_ITERATION";

/// Given to the agent: how many iterations the run may use.
pub const RALPH_MAX_ITERATIONS: &str = "RALPH_MAX_ITERATIONS";

/// Read by `ralph-loop serve`: the token of its link, which is a random one otherwise.
pub const RALPH_SERVE_TOKEN: &str = "RALPH_SERVE_TOKEN";

/// Read, and given to the agent once known: the size of the model's context window in tokens.
pub const CLAUDE_CONTEXT_WINDOW: &str = "CLAUDE_CONTEXT_WINDOW";

/// Set by Claude Code for hooks: the folder the session was started in.
pub const CLAUDE_PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";

/// Set by Claude Code for hooks: a folder of the plugin's own that survives updates.
pub const CLAUDE_PLUGIN_DATA: &str = "CLAUDE_PLUGIN_DATA";

/// Set by Claude Code for hooks: the folder of the plugin that they belong to.
pub const CLAUDE_PLUGIN_ROOT: &str = "CLAUDE_PLUGIN_ROOT";

/// Read by Claude Code: after how many blocked stops in a row it ends the session regardless.
pub const CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/// Read by Claude Code: after how many structured answers that were not taken it ends the session as
/// failed.
pub const MAX_STRUCTURED_OUTPUT_RETRIES: &str = "MAX_STRUCTURED_OUTPUT_RETRIES";

/// Read by Claude Code: switched on, it limits every model to a window of 200,000 tokens.
pub const CLAUDE_CODE_DISABLE_1M_CONTEXT: &str = "CLAUDE_CODE_DISABLE_1M_CONTEXT";

/// Read: the address that notices are posted to, over what the settings say.
pub const RALPH_WEBHOOK_URL: &str = "RALPH_WEBHOOK_URL";

/// Inherited by no agent and no check, which runs what an agent wrote: they could post in the user's
/// name, or look at what only the user is to see.
pub const KEPT_BACK: [&str; 2] = [RALPH_WEBHOOK_URL, RALPH_SERVE_TOKEN];

/// Given to the user's command for notices: what happened, in a line.
pub const RALPH_NOTICE_TEXT: &str = "RALPH_NOTICE_TEXT";

/// Given to the user's command for notices: what kind of thing happened.
pub const RALPH_NOTICE_KIND: &str = "RALPH_NOTICE_KIND";

/// Given to the user's command for notices: `finished`, `failed` or `needs-attention`.
pub const RALPH_NOTICE_CLASS: &str = "RALPH_NOTICE_CLASS";

/// Given to the user's command for notices: the run. Not as [`RALPH_RUN_ID`], by which what an agent
/// left behind is known.
pub const RALPH_NOTICE_RUN: &str = "RALPH_NOTICE_RUN";

/// Given to the user's command for notices: the project's name.
pub const RALPH_NOTICE_PROJECT: &str = "RALPH_NOTICE_PROJECT";

/// Given to the user's command for notices: the story's id, or nothing.
pub const RALPH_NOTICE_STORY: &str = "RALPH_NOTICE_STORY";

/// What the environment says about the loop a session belongs to. The agent cannot change it: a
/// hook inherits from Claude Code, which inherits from the runner.
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

/// The folder a hook's session was started in. The agent may have moved on since, so its working
/// folder is the second choice.
pub fn project_dir(working_folder: Option<&Path>) -> PathBuf {
    folder(CLAUDE_PROJECT_DIR)
        .or_else(|| working_folder.map(Path::to_path_buf))
        .unwrap_or_else(|| PathBuf::from("."))
}

/// The plugin's own folder, where there is one.
pub fn plugin_data() -> Option<PathBuf> {
    folder(CLAUDE_PLUGIN_DATA)
}

/// The plugin that a hook belongs to.
pub fn plugin_root() -> Option<PathBuf> {
    folder(CLAUDE_PLUGIN_ROOT)
}

/// Where programs are looked for.
pub fn path() -> Option<std::ffi::OsString> {
    std::env::var_os("PATH").filter(|path| !path.is_empty())
}

/// The user's home.
pub fn home() -> Option<PathBuf> {
    folder("HOME").or_else(|| folder("USERPROFILE"))
}

/// Whether a switch is on, as Claude Code reads its own.
pub fn is_on(name: &str) -> bool {
    let value = variable(name).unwrap_or_default().to_ascii_lowercase();
    ["1", "true", "yes", "on"].contains(&value.trim())
}

/// A path, in whatever encoding the system has.
fn folder(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// A variable that is set to something.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
