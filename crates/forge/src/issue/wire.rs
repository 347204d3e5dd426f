//! Issues in the JSON of the forges.

use serde::Deserialize;
use serde_json::Value;

/// Of GitHub and Forgejo.
#[derive(Debug, Deserialize)]
pub(super) struct Issue {
    number: u64,
    title: String,
    body: Option<String>,
    labels: Option<Vec<Label>>,
    milestone: Option<Milestone>,
    html_url: String,
    state: String,
    user: Option<User>,
    assignees: Option<Vec<User>>,
    pull_request: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Milestone {
    /// Of GitHub.
    pub(super) number: Option<u64>,
    pub(super) id: Option<u64>,
    pub(super) title: String,
}

#[derive(Debug, Deserialize)]
struct Label {
    name: String,
}

#[derive(Debug, Deserialize)]
struct User {
    login: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct GitLabIssue {
    /// The number in the project.
    iid: u64,
    title: String,
    description: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
    milestone: Option<Milestone>,
    web_url: String,
    state: String,
    author: Option<GitLabUser>,
    #[serde(default)]
    assignees: Vec<GitLabUser>,
}

#[derive(Debug, Deserialize)]
struct GitLabUser {
    username: String,
}

impl From<Issue> for super::Issue {
    fn from(wire: Issue) -> Self {
        let labels = wire.labels.unwrap_or_default().into_iter();
        Self {
            number: wire.number,
            title: wire.title,
            body: wire.body.unwrap_or_default(),
            labels: labels.map(|label| label.name).collect(),
            milestone: wire.milestone.map(|milestone| milestone.title),
            url: wire.html_url,
            is_open: wire.state == "open",
            author: wire.user.map(|user| user.login),
            assignees: wire.assignees.into_iter().flatten().map(|user| user.login).collect(),
            is_pull_request: wire.pull_request.is_some(),
        }
    }
}

impl From<GitLabIssue> for super::Issue {
    fn from(wire: GitLabIssue) -> Self {
        Self {
            number: wire.iid,
            title: wire.title,
            body: wire.description.unwrap_or_default(),
            labels: wire.labels,
            milestone: wire.milestone.map(|milestone| milestone.title),
            url: wire.web_url,
            is_open: wire.state == "opened",
            author: wire.author.map(|user| user.username),
            assignees: wire.assignees.into_iter().map(|user| user.username).collect(),
            is_pull_request: false,
        }
    }
}
