//! What the forge's checks say about a commit.

use serde::Deserialize;

use crate::client::Result;
use crate::untrusted::line;
use crate::{Client, ForgeKind};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub name: String,
    pub state: CheckState,
    pub url: Option<String>,
    pub description: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckState {
    Passed,
    Pending,
    Failed,
}

/// All checks of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checks {
    pub checks: Vec<Check>,
}

impl Checks {
    /// One failure fails all; `None` if there are no checks, which also holds before they are registered.
    pub fn state(&self) -> Option<CheckState> {
        self.checks.iter().map(|check| check.state).max()
    }

    pub fn failed(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.state == CheckState::Failed)
    }
}

const MOST_LINE: usize = 500;

#[derive(Debug, Deserialize)]
struct CombinedStatus {
    statuses: Option<Vec<Status>>,
}

/// Of GitHub and Forgejo, which names the state differently.
#[derive(Debug, Deserialize)]
struct Status {
    context: String,
    #[serde(alias = "status")]
    state: String,
    target_url: Option<String>,
    description: Option<String>,
}

#[derive(Debug, Deserialize)]
struct CheckRuns {
    check_runs: Vec<CheckRun>,
}

#[derive(Debug, Deserialize)]
struct CheckRun {
    name: String,
    status: String,
    conclusion: Option<String>,
    html_url: Option<String>,
    output: Option<CheckOutput>,
}

#[derive(Debug, Deserialize)]
struct CheckOutput {
    title: Option<String>,
}

#[derive(Debug, Deserialize)]
struct GitLabStatus {
    name: String,
    status: String,
    target_url: Option<String>,
    description: Option<String>,
    #[serde(default)]
    allow_failure: bool,
}

impl Client {
    pub fn checks(&self, sha: &str) -> Result<Checks> {
        let mut checks = match self.kind() {
            ForgeKind::GitHub => {
                let mut checks =
                    self.statuses(&format!("/commits/{sha}/status"), "per_page=100")?;
                checks.extend(self.check_runs(sha)?);
                checks
            }
            ForgeKind::Forgejo => self.statuses(&format!("/commits/{sha}/status"), "limit=50")?,
            ForgeKind::GitLab => {
                let path = format!("/repository/commits/{sha}/statuses?per_page=100");
                let statuses: Vec<GitLabStatus> = self.pages(&path)?;
                statuses.into_iter().map(Check::from).collect()
            }
        };
        for check in &mut checks {
            check.name = line(&check.name, MOST_LINE);
            check.description = line(&check.description, MOST_LINE);
            check.url = check.url.take().map(|url| line(&url, MOST_LINE));
            check.url.take_if(|url| url.is_empty());
        }
        Ok(Checks { checks })
    }

    fn statuses(&self, path: &str, size: &str) -> Result<Vec<Check>> {
        self.numbered_pages(path, size, |page: CombinedStatus| {
            page.statuses.unwrap_or_default().into_iter().map(Check::from).collect()
        })
    }

    fn check_runs(&self, sha: &str) -> Result<Vec<Check>> {
        let path = format!("/commits/{sha}/check-runs");
        self.numbered_pages(&path, "per_page=100", |page: CheckRuns| {
            page.check_runs.into_iter().map(Check::from).collect()
        })
    }
}

impl From<Status> for Check {
    fn from(wire: Status) -> Self {
        let state = match wire.state.as_str() {
            "success" | "warning" => CheckState::Passed,
            "pending" => CheckState::Pending,
            _ => CheckState::Failed,
        };
        let description = wire.description.unwrap_or_default();
        Self { name: wire.context, state, url: wire.target_url, description }
    }
}

impl From<CheckRun> for Check {
    fn from(wire: CheckRun) -> Self {
        let state = match (wire.status.as_str(), wire.conclusion.as_deref()) {
            ("completed", Some("success" | "neutral" | "skipped")) => CheckState::Passed,
            ("completed", _) => CheckState::Failed,
            _ => CheckState::Pending,
        };
        let description = wire.output.and_then(|output| output.title);
        let description = description.or(wire.conclusion).unwrap_or_default();
        Self { name: wire.name, state, url: wire.html_url, description }
    }
}

impl From<GitLabStatus> for Check {
    fn from(wire: GitLabStatus) -> Self {
        let state = match wire.status.as_str() {
            "success" | "skipped" | "manual" => CheckState::Passed,
            "failed" | "canceled" | "canceling" if !wire.allow_failure => CheckState::Failed,
            "failed" | "canceled" | "canceling" => CheckState::Passed,
            _ => CheckState::Pending,
        };
        let description = wire.description.unwrap_or_default();
        Self { name: wire.name, state, url: wire.target_url, description }
    }
}
