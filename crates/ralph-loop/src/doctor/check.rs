//! One line of a checkup: the subject, the result and the fix.

use std::fmt;

use anyhow::Result;
use serde::{Serialize, Serializer};

use crate::command_error::{hint, message};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Check {
    pub(crate) id: CheckId,
    pub(crate) title: String,
    pub(crate) state: CheckState,
    pub(crate) found: String,
    pub(crate) fix: Option<Fix>,
    /// Details, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CheckState {
    Ok,
    /// A run can start, but something needs attention.
    Warning,
    /// A run cannot start.
    Problem,
    NotChecked,
}

/// The fix, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fix {
    /// A shell command.
    Run(String),
    /// An instruction for a person.
    Do(String),
}

impl Fix {
    pub(crate) fn run(command: impl Into<String>) -> Self {
        Self::Run(command.into())
    }

    pub(crate) fn todo(text: impl Into<String>) -> Self {
        Self::Do(text.into())
    }

    pub(crate) fn text(&self) -> &str {
        let (Self::Run(text) | Self::Do(text)) = self;
        text
    }
}

impl Serialize for Fix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CheckId {
    Hook,
    InPath,
    Agent,
    SignIn,
    Plugin,
    HooksEnabled,
    SelfTest,
    Git,
    Disk,
    Temporary,
    User,
    Project,
    Writable,
    Repository,
    Identity,
    Operation,
    Uncommitted,
    GitLock,
    Ignored,
    Settings,
    Webhook,
    TaskList,
    Run,
    Marker,
    DataSize,
    Isolation,
    CheckSandbox,
    CheckTrial,
}

/// Headings of the output, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckGroup {
    Programs,
    Agents,
    Machine,
    Project,
}

impl CheckGroup {
    pub(crate) const ALL: [Self; 4] = [Self::Programs, Self::Agents, Self::Machine, Self::Project];
}

impl fmt::Display for CheckGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Programs => "Ralph's programs",
            Self::Agents => "Agents",
            Self::Machine => "This machine",
            Self::Project => "This project",
        })
    }
}

impl CheckId {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 28] = [
        Self::Hook,
        Self::InPath,
        Self::Agent,
        Self::SignIn,
        Self::Plugin,
        Self::HooksEnabled,
        Self::SelfTest,
        Self::Git,
        Self::Disk,
        Self::Temporary,
        Self::User,
        Self::Project,
        Self::Writable,
        Self::Repository,
        Self::Identity,
        Self::Operation,
        Self::Uncommitted,
        Self::GitLock,
        Self::Ignored,
        Self::Settings,
        Self::Webhook,
        Self::TaskList,
        Self::Run,
        Self::Marker,
        Self::DataSize,
        Self::Isolation,
        Self::CheckSandbox,
        Self::CheckTrial,
    ];

    pub(crate) fn group(self) -> CheckGroup {
        match self {
            Self::Hook | Self::InPath => CheckGroup::Programs,
            Self::Agent | Self::SignIn | Self::Plugin | Self::HooksEnabled | Self::SelfTest => {
                CheckGroup::Agents
            }
            Self::Git
            | Self::Disk
            | Self::Temporary
            | Self::User
            | Self::Isolation
            | Self::CheckSandbox => CheckGroup::Machine,
            Self::Project
            | Self::Writable
            | Self::Repository
            | Self::Identity
            | Self::Operation
            | Self::Uncommitted
            | Self::GitLock
            | Self::Ignored
            | Self::Settings
            | Self::Webhook
            | Self::TaskList
            | Self::Run
            | Self::Marker
            | Self::DataSize
            | Self::CheckTrial => CheckGroup::Project,
        }
    }

    /// The default title.
    fn title(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::InPath => "in PATH",
            Self::Agent => "agent",
            Self::SignIn => "sign-in",
            Self::Plugin => "plugin",
            Self::HooksEnabled => "hooks enabled",
            Self::SelfTest => "hook self-test",
            Self::Git => "git",
            Self::Disk => "disk space",
            Self::Temporary => "temporary files",
            Self::User => "user",
            Self::Project => "project",
            Self::Writable => "writable",
            Self::Repository => "repository",
            Self::Identity => "git identity",
            Self::Operation => "git operation",
            Self::Uncommitted => "uncommitted",
            Self::GitLock => "git lock",
            Self::Ignored => ".gitignore",
            Self::Settings => "settings",
            Self::Webhook => "webhook",
            Self::TaskList => "task list",
            Self::Run => "other runs",
            Self::Marker => "marker",
            Self::DataSize => "run data",
            Self::Isolation => "isolation",
            Self::CheckSandbox => "isolation of checks",
            Self::CheckTrial => "check",
        }
    }
}

impl Check {
    pub(crate) fn ok(id: CheckId, found: impl Into<String>) -> Self {
        Self::new(id, CheckState::Ok, found.into(), None)
    }

    pub(crate) fn warning(id: CheckId, found: impl Into<String>, fix: Fix) -> Self {
        Self::new(id, CheckState::Warning, found.into(), Some(fix))
    }

    pub(crate) fn problem(id: CheckId, found: impl Into<String>, fix: Fix) -> Self {
        Self::new(id, CheckState::Problem, found.into(), Some(fix))
    }

    /// A run would refuse to start with this error.
    pub(crate) fn refused(id: CheckId, error: &anyhow::Error) -> Self {
        let text = message(error);
        let mut lines = text.lines().map(|line| line.trim().to_owned());
        let first = lines.next().unwrap_or_default();
        let fix = Fix::todo(hint(error).unwrap_or_default());
        Self::problem(id, first, fix).with_notes(lines)
    }

    pub(crate) fn not_checked(id: CheckId, why: impl Into<String>) -> Self {
        Self::new(id, CheckState::NotChecked, why.into(), None)
    }

    pub(crate) fn about(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    pub(crate) fn with_fix(self, fix: Fix) -> Self {
        Self { fix: Some(fix), ..self }
    }

    pub(crate) fn with_notes(self, notes: impl IntoIterator<Item = String>) -> Self {
        Self { notes: notes.into_iter().collect(), ..self }
    }

    fn new(id: CheckId, state: CheckState, found: String, fix: Option<Fix>) -> Self {
        Self { id, title: id.title().to_owned(), state, found, fix, notes: Vec::new() }
    }
}
