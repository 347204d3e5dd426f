//! What issues and pull requests have in common: comments, labels, assignees.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::{Method, Result};
use crate::repository::encoded;
use crate::{Client, ForgeError, ForgeKind};

/// An issue or a pull request, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Issue(u64),
    Pull(u64),
}

#[derive(Debug, Deserialize)]
struct LabelId {
    id: u64,
    name: String,
}

impl Client {
    /// Adds a comment to the conversation.
    pub fn comment(&self, on: Subject, body: &str) -> Result<()> {
        let comments = match self.kind() {
            ForgeKind::GitHub | ForgeKind::Forgejo => "comments",
            ForgeKind::GitLab => "notes",
        };
        let path = format!("{}/{comments}", self.subject(on));
        self.act(Method::Post, &path, Some(&json!({ "body": body })))
    }

    /// Labels that the repository does not have are created.
    pub fn add_labels(&self, on: Subject, labels: &[&str]) -> Result<()> {
        let subject = self.subject(on);
        let path = format!("{subject}/labels");
        match self.kind() {
            ForgeKind::GitHub => self.act(Method::Post, &path, Some(&json!({ "labels": labels }))),
            ForgeKind::Forgejo => {
                let ids = self.label_ids(labels)?;
                self.act(Method::Post, &path, Some(&json!({ "labels": ids })))
            }
            ForgeKind::GitLab => {
                let body = json!({ "add_labels": labels.join(",") });
                self.act(Method::Put, &subject, Some(&body))
            }
        }
    }

    /// Does nothing if it has no such label.
    pub fn remove_label(&self, on: Subject, label: &str) -> Result<()> {
        let subject = self.subject(on);
        let removed = match self.kind() {
            ForgeKind::GitHub => {
                self.act(Method::Delete, &format!("{subject}/labels/{}", encoded(label)), None)
            }
            ForgeKind::Forgejo => {
                let labels: Vec<LabelId> = self.get(&format!("{subject}/labels"))?;
                let Some(id) = id_of(&labels, label) else { return Ok(()) };
                self.act(Method::Delete, &format!("{subject}/labels/{id}"), None)
            }
            ForgeKind::GitLab => {
                self.act(Method::Put, &subject, Some(&json!({ "remove_labels": label })))
            }
        };
        match removed {
            Err(ForgeError::NotFound { .. }) => Ok(()),
            removed => removed,
        }
    }

    /// Adds `login` to the people who work on it. GitLab has one of them.
    pub fn assign(&self, issue: u64, login: &str) -> Result<()> {
        let path = format!("/issues/{issue}");
        match self.kind() {
            ForgeKind::GitHub => {
                let body = json!({ "assignees": [login] });
                self.act(Method::Post, &format!("{path}/assignees"), Some(&body))
            }
            ForgeKind::Forgejo => {
                let mut assignees = self.issue(issue)?.assignees;
                if assignees.iter().all(|each| each != login) {
                    assignees.push(login.to_owned());
                }
                self.act(Method::Patch, &path, Some(&json!({ "assignees": assignees })))
            }
            ForgeKind::GitLab => {
                let user = self.user_id(login)?;
                self.act(Method::Put, &path, Some(&json!({ "assignee_ids": [user] })))
            }
        }
    }

    /// The path below the repository.
    pub(crate) fn subject(&self, of: Subject) -> String {
        match (of, self.kind()) {
            (Subject::Pull(number), ForgeKind::GitLab) => format!("/merge_requests/{number}"),
            (Subject::Pull(number) | Subject::Issue(number), _) => format!("/issues/{number}"),
        }
    }

    fn label_ids(&self, names: &[&str]) -> Result<Vec<u64>> {
        let known: Vec<LabelId> = self.pages("/labels?limit=50")?;
        let id = |name: &&str| match id_of(&known, name) {
            Some(id) => Ok(id),
            None => {
                let new: Value = json!({ "name": name, "color": "#1d76db" });
                self.change::<LabelId>(Method::Post, "/labels", &new).map(|label| label.id)
            }
        };
        names.iter().map(id).collect()
    }
}

fn id_of(labels: &[LabelId], name: &str) -> Option<u64> {
    let found = labels.iter().find(|label| label.name.eq_ignore_ascii_case(name));
    found.map(|label| label.id)
}
