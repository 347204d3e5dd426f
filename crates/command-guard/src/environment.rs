//! The inputs of a decision besides standard input, collected once so that tests can replace them.

use std::path::PathBuf;

use hook_io::HookInput;
use project::{CommandRules, Layout, LoopEnvironment, StoredMarker, env};

use crate::CommandContext;
use crate::place::normal;

#[derive(Debug, Clone, Default)]
pub struct Environment {
    pub project_dir: PathBuf,
    pub home: Option<PathBuf>,
    pub temporary: Option<PathBuf>,
    /// The plugin's folder and its data.
    pub plugin: Vec<PathBuf>,
    pub rules: CommandRules,
    pub env: LoopEnvironment,
}

impl Environment {
    pub fn from_process(input: &HookInput) -> Self {
        let loop_env = LoopEnvironment::from_process();
        let rules = env::variable(env::RALPH_COMMAND_RULES);
        let project = loop_env.project_dir.clone();
        Self {
            project_dir: project.unwrap_or_else(|| env::project_dir(input.cwd.as_deref())),
            home: env::home(),
            temporary: env::variable("TMPDIR").map(PathBuf::from),
            plugin: env::plugin_root().into_iter().chain(env::plugin_data()).collect(),
            rules: rules.map(|json| CommandRules::from_json(&json)).unwrap_or_default(),
            env: loop_env,
        }
    }

    /// From the marker. Whether it was changed is for the Stop hook to find.
    fn protected(&self) -> Vec<PathBuf> {
        let stored = StoredMarker::load(&Layout::new(&self.project_dir)).ok().flatten();
        let files = stored.map(|stored| stored.protected_files()).unwrap_or_default();
        files.into_keys().map(PathBuf::from).collect()
    }

    pub(crate) fn context(&self, input: &HookInput) -> CommandContext {
        let folder = input.cwd.as_deref().unwrap_or(&self.project_dir);
        let project = normal(&self.project_dir);
        // The plugin may be changed if it is the project itself.
        let plugin = self.plugin.iter().filter(|plugin| !project.starts_with(plugin));
        CommandContext {
            folder: normal(folder),
            home: self.home.clone(),
            temporary: self.temporary.as_deref().map(normal),
            plugin: plugin.cloned().collect(),
            rules: self.rules.clone(),
            protected: self.protected(),
            project,
        }
    }
}
