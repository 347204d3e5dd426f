//! Reviews of a pull request: threads of comments, replies, requests for another review.

mod forgejo;
mod github;
mod gitlab;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::client::{Method, Result};
use crate::untrusted::{Body, line};
use crate::{Client, ForgeKind, Subject};

/// Characters of a path, an address or a name.
const MOST_LINE: usize = 1000;

/// A discussion about a line, or what a review says as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    pub at: ThreadPlace,
    pub is_resolved: bool,
    /// The line was changed since.
    pub is_outdated: bool,
    /// At least one.
    pub comments: Vec<Comment>,
}

/// Names a thread later, such as for the reply to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadPlace {
    /// Of the forge; unique in its pull request.
    pub id: String,
    /// `None` for what is about no file.
    pub path: Option<String>,
    pub line: Option<u64>,
    pub url: String,
}

/// Its text is untrusted, without control characters and comments that a reader does not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The login; `None` for deleted users.
    pub author: Option<String>,
    /// What GitHub says about the author, such as `OWNER`. It is no permission: see [`Client::permission`].
    pub association: Option<String>,
    pub body: String,
    pub url: String,
}

impl Client {
    /// Threads about lines, and reviews that request changes and were followed neither by another one of their author
    /// nor by a request for it.
    pub fn threads(&self, pull: u64) -> Result<Vec<Thread>> {
        let mut threads = match self.kind() {
            ForgeKind::GitHub => self.github_threads(pull),
            ForgeKind::Forgejo => self.forgejo_threads(pull),
            ForgeKind::GitLab => self.gitlab_threads(pull),
        }?;
        threads.retain(|thread| !thread.comments.is_empty());
        for thread in &mut threads {
            let at = &mut thread.at;
            at.path = at.path.take().map(|path| line(&path, MOST_LINE));
            at.url = line(&at.url, MOST_LINE);
            thread.comments.iter_mut().for_each(Comment::clean);
        }
        Ok(threads)
    }

    /// Comments of the conversation, which cannot be resolved.
    pub fn conversation(&self, pull: u64) -> Result<Vec<Comment>> {
        let mut comments = match self.kind() {
            ForgeKind::GitHub | ForgeKind::Forgejo => self.issue_comments(pull),
            ForgeKind::GitLab => self.gitlab_conversation(pull),
        }?;
        comments.iter_mut().for_each(Comment::clean);
        Ok(comments)
    }

    /// Answers in the thread, or in the conversation where the forge has no thread to answer in.
    pub fn reply(&self, pull: u64, at: &ThreadPlace, body: &str) -> Result<()> {
        match (self.kind(), &at.path) {
            (ForgeKind::GitHub, Some(_)) => {
                let path = format!("/pulls/{pull}/comments/{}/replies", at.id);
                self.act(Method::Post, &path, Some(&json!({ "body": body })))
            }
            (ForgeKind::GitLab, _) => {
                let path = format!("/merge_requests/{pull}/discussions/{}/notes", at.id);
                self.act(Method::Post, &path, Some(&json!({ "body": body })))
            }
            // Forgejo's interface can only begin new threads.
            (ForgeKind::GitHub | ForgeKind::Forgejo, _) => {
                let place = match (&at.path, at.line) {
                    (Some(path), Some(line)) => format!("{path}:{line}"),
                    (Some(path), None) => path.clone(),
                    (None, _) => "the review".to_owned(),
                };
                let text = format!("Reply to [{place}]({}):\n\n{body}", at.url);
                self.comment(Subject::Pull(pull), &text)
            }
        }
    }

    pub fn request_review(&self, pull: u64, logins: &[&str]) -> Result<()> {
        match self.kind() {
            ForgeKind::GitHub | ForgeKind::Forgejo => {
                let path = format!("/pulls/{pull}/requested_reviewers");
                self.act(Method::Post, &path, Some(&json!({ "reviewers": logins })))
            }
            // A quick action: setting the same reviewers again sends no notification.
            ForgeKind::GitLab => {
                let names: Vec<String> = logins.iter().map(|login| format!("@{login}")).collect();
                let text = format!("/request_review {}", names.join(" "));
                self.comment(Subject::Pull(pull), &text)
            }
        }
    }

    fn issue_comments(&self, number: u64) -> Result<Vec<Comment>> {
        let size = if self.kind() == ForgeKind::GitHub { "per_page=100" } else { "limit=50" };
        let comments: Vec<WireComment> =
            self.pages(&format!("/issues/{number}/comments?{size}"))?;
        Ok(comments.into_iter().map(Comment::from).collect())
    }
}

impl Comment {
    fn clean(&mut self) {
        self.body = Body::clean(&self.body).text;
        self.url = line(&self.url, MOST_LINE);
        self.author = self.author.take().map(|author| line(&author, MOST_LINE));
    }
}

/// A comment of GitHub and Forgejo.
#[derive(Debug, Deserialize)]
struct WireComment {
    body: Option<String>,
    html_url: Option<String>,
    user: Option<WireUser>,
    author_association: Option<String>,
}

#[derive(Debug, Deserialize)]
struct WireUser {
    login: String,
}

impl From<WireComment> for Comment {
    fn from(wire: WireComment) -> Self {
        Self {
            author: wire.user.map(|user| user.login),
            association: wire.author_association,
            body: wire.body.unwrap_or_default(),
            url: wire.html_url.unwrap_or_default(),
        }
    }
}
