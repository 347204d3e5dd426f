//! What the process was given besides its input, gathered once so that decisions can be tested.

use std::path::PathBuf;
use std::time::SystemTime;

use hook_io::HookInput;
use project::{LoopEnvironment, env};

use crate::window::LargeWindows;

#[derive(Debug, Clone)]
pub struct Surroundings {
    pub project_dir: PathBuf,
    /// Where the plugin may keep its state.
    pub plugin_data: Option<PathBuf>,
    pub env: LoopEnvironment,
    /// The context window, if the environment names a usable one.
    pub window: Option<u64>,
    pub large_windows: LargeWindows,
    pub now: SystemTime,
}

impl Surroundings {
    pub fn from_process(input: &HookInput) -> Self {
        let window = env::variable(env::CLAUDE_CONTEXT_WINDOW);
        Self {
            project_dir: env::project_dir(input.cwd.as_deref()),
            plugin_data: env::plugin_data(),
            env: LoopEnvironment::from_process(),
            window: window
                .and_then(|tokens| tokens.trim().parse().ok())
                .filter(|tokens| *tokens > 0),
            large_windows: if env::is_on(env::CLAUDE_CODE_DISABLE_1M_CONTEXT) {
                LargeWindows::Disabled
            } else {
                LargeWindows::AsMeasured
            },
            now: SystemTime::now(),
        }
    }
}
