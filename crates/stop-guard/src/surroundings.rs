//! What the process was given besides its input, gathered once so that decisions can be tested.

use std::path::PathBuf;

use hook_io::HookInput;
use project::{LoopEnvironment, env};

#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    pub project_dir: PathBuf,
    /// Where the plugin may keep its state.
    pub plugin_data: Option<PathBuf>,
    pub env: LoopEnvironment,
    /// Claude Code's own cap on blocked stops, if the user changed it; 0 switches it off.
    pub block_cap: Option<u64>,
    /// After how many structured answers that were not taken Claude Code gives up, if the user
    /// changed it.
    pub answer_limit: Option<u64>,
}

impl Surroundings {
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
