//! What a user does through the API of the server. A refused request panics, except in [`User::call`].

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::http::{self, Response};

/// What the server does in the background after a push takes less.
const PATIENCE: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(50);

/// A repository is `owner/name`. Numbers are those of issues and pull requests.
#[derive(Debug, Clone)]
pub struct User {
    pub(crate) address: SocketAddr,
    pub name: String,
    /// For the API, and as a password for git.
    pub token: String,
}

#[expect(clippy::unwrap_used, clippy::panic, reason = "a panic fails the test")]
impl User {
    /// Any request. `path` is below `/api/v1`; a null body is none.
    pub fn call(&self, method: &str, path: &str, body: &Value) -> Response {
        let path = format!("/api/v1{path}");
        http::send(self.address, method, &path, &self.token, body).unwrap()
    }

    pub fn get(&self, path: &str) -> Value {
        self.ask("GET", path, &Value::Null)
    }

    pub fn post(&self, path: &str, body: &Value) -> Value {
        self.ask("POST", path, body)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let response = self.call(method, path, body);
        if !(200..300).contains(&response.status) {
            panic!("{method} {path} {body}: {} {}", response.status, response.body);
        }
        response.json()
    }

    /// The address of a repository with the name and the token of the user, for git.
    pub fn remote(&self, repository: &str) -> String {
        format!("http://{}:{}@{}/{repository}.git", self.name, self.token, self.address)
    }

    /// An empty repository of the user. Returns `owner/name`.
    pub fn create_repository(&self, name: &str) -> String {
        let made = self.post("/user/repos", &json!({ "name": name }));
        made["full_name"].as_str().unwrap().to_owned()
    }

    /// `permission` is `read`, `write` or `admin`.
    pub fn add_collaborator(&self, repository: &str, name: &str, permission: &str) {
        let path = format!("/repos/{repository}/collaborators/{name}");
        self.ask("PUT", &path, &json!({ "permission": permission }));
    }

    /// The id of a label, which is created if the repository has none of that name.
    pub fn label(&self, repository: &str, name: &str) -> u64 {
        let path = format!("/repos/{repository}/labels");
        let known = self.get(&path);
        let found = known.as_array().unwrap().iter().find(|label| label["name"] == name).cloned();
        let create = || self.post(&path, &json!({ "name": name, "color": "00aa00" }));
        found.unwrap_or_else(create)["id"].as_u64().unwrap()
    }

    /// Returns its number. Only users with write access can set labels.
    pub fn create_issue(&self, repository: &str, title: &str, body: &str, labels: &[&str]) -> u64 {
        let labels: Vec<u64> = labels.iter().map(|name| self.label(repository, name)).collect();
        let issue = json!({ "title": title, "body": body, "labels": labels });
        self.post(&format!("/repos/{repository}/issues"), &issue)["number"].as_u64().unwrap()
    }

    pub fn issue(&self, repository: &str, number: u64) -> Value {
        self.get(&format!("/repos/{repository}/issues/{number}"))
    }

    /// On an issue or a pull request. Returns the id of the comment.
    pub fn comment(&self, repository: &str, number: u64, body: &str) -> u64 {
        let path = format!("/repos/{repository}/issues/{number}/comments");
        self.post(&path, &json!({ "body": body }))["id"].as_u64().unwrap()
    }

    /// Returns its number. A title that starts with `WIP:` makes it a draft.
    pub fn create_pull(&self, repository: &str, branch: &str, title: &str, body: &str) -> u64 {
        // The server registers a pushed branch in the background.
        let path = format!("/repos/{repository}/branches/{branch}");
        wait_until(|| self.call("GET", &path, &Value::Null).status == 200);
        let pull = json!({ "base": "main", "head": branch, "title": title, "body": body });
        self.post(&format!("/repos/{repository}/pulls"), &pull)["number"].as_u64().unwrap()
    }

    pub fn pull(&self, repository: &str, number: u64) -> Value {
        self.get(&format!("/repos/{repository}/pulls/{number}"))
    }

    /// `review` has an `event` (`APPROVED`, `REQUEST_CHANGES` or `COMMENT`), a `body` and `comments`; each of these has a
    /// `path`, a `new_position` (the number of a line) and a `body`. Returns the id of the review.
    pub fn review(&self, repository: &str, number: u64, review: &Value) -> u64 {
        let path = format!("/repos/{repository}/pulls/{number}/reviews");
        self.post(&path, review)["id"].as_u64().unwrap()
    }

    /// `state` is `pending`, `success`, `failure`, `error` or `warning`.
    pub fn set_status(&self, repository: &str, commit: &str, context: &str, state: &str) {
        let path = format!("/repos/{repository}/statuses/{commit}");
        self.post(&path, &json!({ "context": context, "state": state }));
    }

    /// Pushes to the branch are refused, and only commits with these statuses are merged.
    pub fn protect_branch(&self, repository: &str, branch: &str, contexts: &[&str]) {
        let rule = json!({
            "rule_name": branch,
            "enable_push": false,
            "enable_status_check": !contexts.is_empty(),
            "status_check_contexts": contexts,
        });
        self.post(&format!("/repos/{repository}/branch_protections"), &rule);
    }

    /// With a merge commit, as soon as the server knows that there is no conflict.
    pub fn merge(&self, repository: &str, number: u64) {
        wait_until(|| self.pull(repository, number)["mergeable"] == true);
        let path = format!("/repos/{repository}/pulls/{number}/merge");
        self.post(&path, &json!({ "Do": "merge" }));
    }
}

#[track_caller]
fn wait_until(is_reached: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_reached() {
        assert!(Instant::now() < deadline, "not within {PATIENCE:?}");
        std::thread::sleep(POLL);
    }
}
