//! Sessions as jobs on other machines.

use std::path::PathBuf;
use std::sync::Arc;

use job_engines::JobEngine;
use vcs::{CommitId, WorkTree};

#[derive(Debug, Clone)]
pub struct JobOptions {
    /// The name of the executor in the settings.
    pub name: String,
    pub engine: Arc<dyn JobEngine>,
    /// The repository that workers fetch from and push to. `None` for the project itself, which is on a file system that
    /// they share.
    pub remote: Option<String>,
    /// `ralph-loop` on a node.
    pub program: PathBuf,
    /// A file on the node with variables for the agent.
    pub secrets: Option<PathBuf>,
    /// A folder on the node for clones. Default: its folder for temporary files.
    pub folder: Option<PathBuf>,
    /// The agent's program on a node, if not that of the settings.
    pub agent_program: Option<PathBuf>,
    /// The settings of the run, without secrets.
    pub settings: serde_json::Value,
}

impl JobOptions {
    /// The command line of the worker for the work in `name`.
    pub(crate) fn worker(&self, project: &WorkTree, name: &str, commit: &CommitId) -> Vec<String> {
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        let [_, git] = project.git_dirs();
        let repository = self.remote.clone().unwrap_or_else(|| text(&git.to_path_buf()));
        let named = [
            ("--repository", Some(repository)),
            ("--ref", Some(name.to_owned())),
            ("--commit", Some(commit.to_string())),
            ("--secrets", self.secrets.as_ref().map(text)),
            ("--folder", self.folder.as_ref().map(text)),
        ];
        let options = named.into_iter().filter_map(|(flag, value)| Some([flag.to_owned(), value?]));
        [text(&self.program), "worker".to_owned()].into_iter().chain(options.flatten()).collect()
    }
}
