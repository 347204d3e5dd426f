//! Reads issues: one, all open ones with a label, all open ones of a milestone.

mod wire;

use serde::de::DeserializeOwned;

use crate::client::Result;
use crate::repository::encoded;
use crate::{Client, ForgeError, ForgeKind, Remote, Repository};
use wire::{GitLabIssue, Issue as WireIssue, Milestone};

/// An issue as its forge has it. All texts are untrusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    pub number: u64,
    pub title: String,
    pub body: String,
    pub labels: Vec<String>,
    /// The title of its milestone.
    pub milestone: Option<String>,
    pub url: String,
    pub is_open: bool,
    /// The login; `None` for deleted users.
    pub author: Option<String>,
    pub assignees: Vec<String>,
    /// GitHub counts pull requests among the issues.
    pub is_pull_request: bool,
}

impl Client {
    pub fn issue(&self, number: u64) -> Result<Issue> {
        let path = format!("/issues/{number}");
        match self.kind() {
            ForgeKind::GitHub | ForgeKind::Forgejo => self.get::<WireIssue>(&path).map(Into::into),
            ForgeKind::GitLab => self.get::<GitLabIssue>(&path).map(Into::into),
        }
    }

    /// Open issues with this label, the oldest first.
    pub fn issues_with_label(&self, label: &str) -> Result<Vec<Issue>> {
        // Forgejo ignores an unknown label, and a comma separates labels everywhere.
        let has = |issue: &Issue| issue.labels.iter().any(|each| is_same(each, label));
        let issues = self.open_issues(&format!("labels={}", encoded(label)))?;
        Ok(issues.into_iter().filter(has).collect())
    }

    /// Open issues of the milestone with this title, the oldest first.
    pub fn issues_of_milestone(&self, title: &str) -> Result<Vec<Issue>> {
        let name = encoded(title);
        let filter = match self.kind() {
            ForgeKind::GitHub => format!("milestone={}", self.milestone_number(title)?),
            ForgeKind::Forgejo => {
                self.milestone_number(title)?;
                format!("milestones={name}")
            }
            ForgeKind::GitLab => format!("milestone={name}"),
        };
        let of = |issue: &Issue| issue.milestone.as_deref().is_some_and(|it| is_same(it, title));
        Ok(self.open_issues(&filter)?.into_iter().filter(of).collect())
    }

    fn open_issues(&self, filter: &str) -> Result<Vec<Issue>> {
        let mut issues = match self.kind() {
            ForgeKind::GitHub => self.listed::<WireIssue>(&format!(
                "/issues?state=open&sort=created&direction=asc&per_page=100&{filter}"
            )),
            ForgeKind::Forgejo => self
                .listed::<WireIssue>(&format!("/issues?state=open&type=issues&limit=50&{filter}")),
            ForgeKind::GitLab => self.listed::<GitLabIssue>(&format!(
                "/issues?state=opened&order_by=created_at&sort=asc&per_page=100&{filter}"
            )),
        }?;
        issues.retain(|issue| issue.is_open && !issue.is_pull_request);
        issues.sort_by_key(|issue| issue.number);
        issues.dedup_by_key(|issue| issue.number);
        Ok(issues)
    }

    fn listed<T: DeserializeOwned + Into<Issue>>(&self, path: &str) -> Result<Vec<Issue>> {
        Ok(self.pages::<T>(path)?.into_iter().map(Into::into).collect())
    }

    /// An error if there is none: Forgejo would list all issues.
    fn milestone_number(&self, title: &str) -> Result<u64> {
        let page = if self.kind() == ForgeKind::GitHub { "per_page=100" } else { "limit=50" };
        let all: Vec<Milestone> = self.pages(&format!("/milestones?state=all&{page}"))?;
        let found = all.iter().find(|milestone| is_same(&milestone.title, title));
        let number = found.and_then(|milestone| milestone.number.or(milestone.id));
        number.ok_or_else(|| ForgeError::NoSuch {
            kind: self.kind(),
            what: "milestone",
            name: sanitize::plain(title),
        })
    }
}

/// Forges ignore the case of names.
fn is_same(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.trim().to_lowercase()
}

impl Repository {
    /// The number of the issue of this repository whose page is at `url`.
    pub fn issue_of(&self, url: &str) -> Option<u64> {
        let (page, number) = url.rsplit_once('/')?;
        let repository = page.strip_suffix("/issues")?;
        let repository = repository.strip_suffix("/-").unwrap_or(repository);
        let remote =
            Remote::parse(repository).ok().filter(|remote| remote.http_origin.is_some())?;
        let found = Self::new(&remote, Some(self.kind), None).ok()?;
        let is_same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
        let is_here = is_same(&found.host, &self.host) && is_same(&found.path(), &self.path());
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        if is_here && is_number { number.parse().ok().filter(|number| *number > 0) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_issues_of_the_repository_have_a_number() {
        let repository = |url: &str, kind| {
            Repository::new(&Remote::parse(url).unwrap(), Some(kind), None).unwrap()
        };
        let github = repository("git@github.com:Me/app.git", ForgeKind::GitHub);
        for (url, number) in [
            ("https://github.com/me/app/issues/12", Some(12)),
            ("https://github.com/me/other/issues/12", None),
            ("https://github.com/you/app/issues/12", None),
            ("https://github.example/me/app/issues/12", None),
            ("https://github.com/me/app/pull/12", None),
            ("https://github.com/me/app/issues/+12", None),
            ("https://github.com/me/app/issues/0", None),
            ("https://github.com/me/app/issues/12#x", None),
            ("git@github.com:me/app/issues/12", None),
            ("specs/tasks.md#setup", None),
        ] {
            assert_eq!(github.issue_of(url), number, "{url}");
        }
        let gitlab = repository("git@gitlab.com:a/b/r.git", ForgeKind::GitLab);
        assert_eq!(gitlab.issue_of("https://gitlab.com/a/b/r/-/issues/3"), Some(3));
        assert_eq!(gitlab.issue_of("https://gitlab.com/b/r/-/issues/3"), None);
        let forgejo = repository("http://h:3000/code/o/r", ForgeKind::Forgejo);
        assert_eq!(forgejo.issue_of("http://h:3000/code/o/r/issues/3"), Some(3));
    }
}
