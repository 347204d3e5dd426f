//! The inputs of a decision besides standard input, collected once so that tests can replace them.

use std::path::PathBuf;
use std::time::SystemTime;

use hook_io::HookInput;
use project::{LoopEnvironment, env};

#[derive(Debug, Clone)]
pub struct Environment {
    pub project_dir: PathBuf,
    /// The plugin's data folder.
    pub plugin_data: Option<PathBuf>,
    pub env: LoopEnvironment,
    /// The context window in tokens, if the environment has a valid value.
    pub window: Option<u64>,
    /// Claude Code has a setting that disables windows of a million tokens.
    pub large_windows: bool,
    pub now: SystemTime,
}

impl Environment {
    pub fn from_process(input: &HookInput) -> Self {
        let window = env::variable(env::CLAUDE_CONTEXT_WINDOW);
        Self {
            project_dir: env::project_dir(input.cwd.as_deref()),
            plugin_data: env::plugin_data(),
            env: LoopEnvironment::from_process(),
            window: window
                .and_then(|tokens| tokens.trim().parse().ok())
                .filter(|tokens| *tokens > 0),
            large_windows: !env::is_on(env::CLAUDE_CODE_DISABLE_1M_CONTEXT),
            now: SystemTime::now(),
        }
    }
}
