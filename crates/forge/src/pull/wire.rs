//! Pull requests in the JSON of the forges.

use serde::Deserialize;

use super::{PullRequest, PullState};

/// Of GitHub and Forgejo.
#[derive(Debug, Deserialize)]
pub(super) struct Pull {
    number: u64,
    html_url: String,
    title: String,
    body: Option<String>,
    state: String,
    draft: Option<bool>,
    /// Lists of GitHub have only the time.
    merged: Option<bool>,
    merged_at: Option<String>,
    head: Branch,
    base: Branch,
    labels: Option<Vec<Label>>,
    node_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Branch {
    #[serde(rename = "ref")]
    name: String,
    sha: String,
    /// None if it was deleted.
    repo: Option<BranchRepository>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct BranchRepository {
    id: u64,
}

#[derive(Debug, Deserialize)]
struct Label {
    name: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct MergeRequest {
    iid: u64,
    web_url: String,
    title: String,
    description: Option<String>,
    state: String,
    draft: Option<bool>,
    source_branch: String,
    target_branch: String,
    source_project_id: Option<u64>,
    target_project_id: Option<u64>,
    sha: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
}

impl From<Pull> for PullRequest {
    fn from(wire: Pull) -> Self {
        let is_merged = wire.merged == Some(true) || wire.merged_at.is_some();
        Self {
            number: wire.number,
            url: wire.html_url,
            title: wire.title,
            body: wire.body.unwrap_or_default(),
            state: match wire.state.as_str() {
                "open" => PullState::Open,
                _ if is_merged => PullState::Merged,
                _ => PullState::Closed,
            },
            is_draft: wire.draft == Some(true),
            head: wire.head.name,
            head_sha: wire.head.sha,
            base: wire.base.name,
            labels: wire.labels.into_iter().flatten().map(|label| label.name).collect(),
            is_from_here: wire.head.repo == wire.base.repo,
            node: wire.node_id,
        }
    }
}

impl From<MergeRequest> for PullRequest {
    fn from(wire: MergeRequest) -> Self {
        Self {
            number: wire.iid,
            url: wire.web_url,
            title: wire.title,
            body: wire.description.unwrap_or_default(),
            state: match wire.state.as_str() {
                "opened" | "locked" => PullState::Open,
                "merged" => PullState::Merged,
                _ => PullState::Closed,
            },
            is_draft: wire.draft == Some(true),
            head: wire.source_branch,
            head_sha: wire.sha.unwrap_or_default(),
            base: wire.target_branch,
            labels: wire.labels,
            is_from_here: wire.source_project_id == wire.target_project_id,
            node: None,
        }
    }
}
