//! Pull requests (merge requests in GitLab): find, open, update, mark ready, merge.

mod title;
mod wire;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::{Method, Result, of_merge};
use crate::repository::encoded;
use crate::{Client, ForgeError, ForgeKind};

use wire::{MergeRequest, Pull};

/// Characters of a title or body that every forge accepts.
pub const MOST_PULL_BODY: usize = 65_536;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequest {
    pub number: u64,
    pub url: String,
    /// Without the mark of a draft.
    pub title: String,
    pub body: String,
    pub state: PullState,
    pub is_draft: bool,
    /// Its branch.
    pub head: String,
    /// The commit of the branch, as the forge knows it.
    pub head_sha: String,
    /// The branch it is merged into.
    pub base: String,
    pub labels: Vec<String>,
    /// Whether its branch is in the same repository.
    pub is_from_here: bool,
    /// GitHub's id for GraphQL.
    node: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullState {
    Open,
    Closed,
    Merged,
}

/// What a pull request shall be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullContent {
    pub title: String,
    pub body: String,
    /// Its branch, which was pushed before.
    pub head: String,
    pub base: String,
    /// Only for a new one: people may have marked an open one as ready.
    pub draft: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Published {
    Created,
    Updated,
    Unchanged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum MergeMethod {
    Merge,
    Squash,
    /// GitLab merges as the project is set up.
    Rebase,
}

impl Client {
    /// The open pull request of a branch of this repository.
    pub fn find_pull(&self, branch: &str) -> Result<Option<PullRequest>> {
        let path = self.pulls();
        let pulls = match self.kind() {
            ForgeKind::GitHub => {
                let head = encoded(&format!("{}:{branch}", self.repository().owner));
                self.listed_pulls::<Pull>(&format!("{path}?state=open&per_page=100&head={head}"))
            }
            ForgeKind::Forgejo => self.listed_pulls::<Pull>(&format!("{path}?state=open&limit=50")),
            ForgeKind::GitLab => {
                let branch = encoded(branch);
                let query = format!("state=opened&per_page=100&source_branch={branch}");
                self.listed_pulls::<MergeRequest>(&format!("{path}?{query}"))
            }
        }?;
        let is_it = |pull: &PullRequest| {
            pull.head == branch && pull.is_from_here && pull.state == PullState::Open
        };
        Ok(pulls.into_iter().find(is_it))
    }

    pub fn pull(&self, number: u64) -> Result<PullRequest> {
        self.pull_from(Method::Get, &format!("{}/{number}", self.pulls()), None)
    }

    /// Opens the pull request of the branch, or updates the open one: there is never a second.
    pub fn publish_pull(&self, content: &PullContent) -> Result<(PullRequest, Published)> {
        let Some(found) = self.find_pull(&content.head)? else {
            return Ok((self.open_pull(content)?, Published::Created));
        };
        let is_same = |a: &str, b: &str| a.replace("\r\n", "\n").trim() == b.trim();
        let is_unchanged = is_same(&found.title, &content.title)
            && is_same(&found.body, &content.body)
            && found.base == content.base;
        if is_unchanged {
            return Ok((found, Published::Unchanged));
        }
        let title = title::marked(self.kind(), &content.title, found.is_draft);
        let (body_key, base_key) = match self.kind() {
            ForgeKind::GitHub | ForgeKind::Forgejo => ("body", "base"),
            ForgeKind::GitLab => ("description", "target_branch"),
        };
        let mut changes = json!({ "title": title, (body_key): content.body });
        if found.base != content.base {
            changes[base_key] = json!(content.base);
        }
        Ok((self.edit_pull(found.number, &changes)?, Published::Updated))
    }

    pub fn mark_ready(&self, pull: &PullRequest) -> Result<()> {
        const QUERY: &str = "mutation($id:ID!){markPullRequestReadyForReview\
            (input:{pullRequestId:$id}){pullRequest{isDraft}}}";
        if !pull.is_draft {
            return Ok(());
        }
        match self.kind() {
            ForgeKind::GitHub => {
                self.graphql::<Value>(QUERY, &json!({ "id": pull.node })).map(drop)
            }
            ForgeKind::Forgejo | ForgeKind::GitLab => {
                self.edit_pull(pull.number, &json!({ "title": pull.title })).map(drop)
            }
        }
    }

    /// Merges if the branch is still at `head_sha`.
    pub fn merge_pull(&self, number: u64, head_sha: &str, method: MergeMethod) -> Result<()> {
        let word: &str = method.into();
        let path = format!("{}/{number}/merge", self.pulls());
        let (verb, body) = match self.kind() {
            ForgeKind::GitHub => (Method::Put, json!({ "sha": head_sha, "merge_method": word })),
            ForgeKind::Forgejo => (Method::Post, json!({ "Do": word, "head_commit_id": head_sha })),
            ForgeKind::GitLab => {
                let squash = method == MergeMethod::Squash;
                (Method::Put, json!({ "sha": head_sha, "squash": squash }))
            }
        };
        self.act(verb, &path, Some(&body)).map_err(of_merge)
    }

    /// The path of pull requests below the repository.
    pub(crate) fn pulls(&self) -> &'static str {
        match self.kind() {
            ForgeKind::GitHub | ForgeKind::Forgejo => "/pulls",
            ForgeKind::GitLab => "/merge_requests",
        }
    }

    fn open_pull(&self, content: &PullContent) -> Result<PullRequest> {
        let PullContent { title, body, head, base, draft } = content;
        let marked = title::marked(self.kind(), title, *draft);
        let path = self.pulls();
        let mut new = match self.kind() {
            ForgeKind::GitHub | ForgeKind::Forgejo => {
                json!({ "title": marked, "body": body, "head": head, "base": base })
            }
            ForgeKind::GitLab => json!({ "title": marked, "description": body,
                "source_branch": head, "target_branch": base }),
        };
        if self.kind() != ForgeKind::GitHub || !draft {
            return self.pull_from(Method::Post, path, Some(&new));
        }
        new["draft"] = json!(true);
        match self.pull_from(Method::Post, path, Some(&new)) {
            // Not every plan of GitHub has drafts.
            Err(ForgeError::Rejected { messages, .. })
                if messages.iter().any(|text| text.contains("Draft pull requests are not")) =>
            {
                new["draft"] = json!(false);
                self.pull_from(Method::Post, path, Some(&new))
            }
            answer => answer,
        }
    }

    fn edit_pull(&self, number: u64, changes: &Value) -> Result<PullRequest> {
        let verb = match self.kind() {
            ForgeKind::GitHub | ForgeKind::Forgejo => Method::Patch,
            ForgeKind::GitLab => Method::Put,
        };
        self.pull_from(verb, &format!("{}/{number}", self.pulls()), Some(changes))
    }

    fn pull_from(&self, method: Method, path: &str, body: Option<&Value>) -> Result<PullRequest> {
        let url = self.url(path);
        match self.kind() {
            ForgeKind::GitHub | ForgeKind::Forgejo => {
                self.call::<Pull>(method, &url, body).map(|pull| self.of(pull))
            }
            ForgeKind::GitLab => {
                self.call::<MergeRequest>(method, &url, body).map(|pull| self.of(pull))
            }
        }
    }

    fn listed_pulls<T>(&self, path: &str) -> Result<Vec<PullRequest>>
    where
        T: for<'de> Deserialize<'de> + Into<PullRequest>,
    {
        Ok(self.pages::<T>(path)?.into_iter().map(|pull| self.of(pull)).collect())
    }

    /// Only GitHub and new versions of the others say that it is a draft; the others mark the title.
    fn of(&self, wire: impl Into<PullRequest>) -> PullRequest {
        let mut pull = wire.into();
        if self.kind() != ForgeKind::GitHub
            && let Some(title) = title::unmarked(&pull.title)
        {
            pull.title = title.to_owned();
            pull.is_draft = true;
        }
        pull
    }
}
