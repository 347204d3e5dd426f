//! The pull request of a run.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PullRequestResult {
    pub outcome: PullRequestOutcome,
    /// The branch of the run.
    pub branch: String,
    /// The branch that it is to be merged into; `None` if that is unknown.
    pub base: Option<String>,
    pub number: Option<u64>,
    pub url: Option<String>,
    /// Its title, or why it failed.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PullRequestOutcome {
    Created,
    Updated,
    Unchanged,
    /// The work is on the local branch only, or the branch was pushed without a pull request.
    Failed,
}
