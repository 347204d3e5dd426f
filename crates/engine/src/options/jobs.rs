//! Sessions as jobs on other machines.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use job_engines::{JobEngine, Work};
use vcs::{CommitId, WorkTree};

#[derive(Debug, Clone)]
pub struct JobOptions {
    /// The name of the executor in the settings.
    pub name: String,
    pub engine: Arc<dyn JobEngine>,
    /// The repository that workers fetch from and push to. `None` for the project itself, which is on a file system that
    /// they share.
    pub remote: Option<String>,
    /// The engine ends a job after this time, if it is shorter than that of the session.
    pub limit: Option<Duration>,
    /// The agent's program on a node, if not that of the settings.
    pub agent_program: Option<PathBuf>,
    /// The settings of the run, without secrets.
    pub settings: serde_json::Value,
}

impl JobOptions {
    pub(crate) fn work(&self, project: &WorkTree, name: &str, commit: &CommitId) -> Work {
        let [_, git] = project.git_dirs();
        let own = || git.to_string_lossy().into_owned();
        let repository = self.remote.clone().unwrap_or_else(own);
        Work { repository, name: name.to_owned(), commit: commit.to_string() }
    }
}
