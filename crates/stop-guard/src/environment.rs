//! The inputs of a decision besides standard input, collected once so that tests can replace them.

use std::path::PathBuf;

use hook_io::HookInput;
use project::{LoopEnvironment, env};

#[derive(Debug, Clone, Default)]
pub struct Environment {
    pub project_dir: PathBuf,
    /// The plugin's data folder.
    pub plugin_data: Option<PathBuf>,
    pub env: LoopEnvironment,
    /// Claude Code's cap on blocked stops, if the user changed it; 0 disables it.
    pub block_cap: Option<u64>,
    /// After how many rejected structured answers Claude Code fails a session, if the user changed it.
    pub answer_limit: Option<u64>,
}

impl Environment {
    pub fn from_process(input: &HookInput) -> Self {
        Self {
            project_dir: env::project_dir(input.cwd.as_deref()),
            plugin_data: env::plugin_data(),
            env: LoopEnvironment::from_process(),
            block_cap: number(env::CLAUDE_CODE_STOP_HOOK_BLOCK_CAP),
            answer_limit: number(env::MAX_STRUCTURED_OUTPUT_RETRIES),
        }
    }
}

fn number(variable: &str) -> Option<u64> {
    env::variable(variable)?.parse().ok()
}
