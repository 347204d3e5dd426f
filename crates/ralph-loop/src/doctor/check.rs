//! One line of a checkup: the subject, the result and the fix.

use serde::Serialize;

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
    /// The heading above it.
    #[serde(skip)]
    pub(crate) group: &'static str,
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
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
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(clap::ValueEnum))]
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
    Proof,
    Run,
    Marker,
    DataSize,
    Isolation,
    CheckSandbox,
    CheckTrial,
    LanesDir,
    LanesSetup,
    LanesFiles,
    LanesBranch,
    LanesSubmodules,
    Executor,
}

const PROGRAMS: &str = "Ralph's programs";
const AGENTS: &str = "Agents";
const MACHINE: &str = "This machine";
const PROJECT: &str = "This project";

/// Headings of the output, in this order.
pub(crate) const GROUPS: [&str; 4] = [PROGRAMS, AGENTS, MACHINE, PROJECT];

impl CheckId {
    /// The heading above it, and its default title.
    fn place(self) -> (&'static str, &'static str) {
        match self {
            Self::Hook => (PROGRAMS, "hook"),
            Self::InPath => (PROGRAMS, "in PATH"),
            Self::Agent => (AGENTS, "agent"),
            Self::SignIn => (AGENTS, "sign-in"),
            Self::Plugin => (AGENTS, "plugin"),
            Self::HooksEnabled => (AGENTS, "hooks enabled"),
            Self::SelfTest => (AGENTS, "hook self-test"),
            Self::Git => (MACHINE, "git"),
            Self::Disk => (MACHINE, "disk space"),
            Self::Temporary => (MACHINE, "temporary files"),
            Self::User => (MACHINE, "user"),
            Self::Isolation => (MACHINE, "isolation"),
            Self::CheckSandbox => (MACHINE, "isolation of checks"),
            Self::Project => (PROJECT, "project"),
            Self::Writable => (PROJECT, "writable"),
            Self::Repository => (PROJECT, "repository"),
            Self::Identity => (PROJECT, "git identity"),
            Self::Operation => (PROJECT, "git operation"),
            Self::Uncommitted => (PROJECT, "uncommitted"),
            Self::GitLock => (PROJECT, "git lock"),
            Self::Ignored => (PROJECT, ".gitignore"),
            Self::Settings => (PROJECT, "settings"),
            Self::Webhook => (PROJECT, "webhook"),
            Self::TaskList => (PROJECT, "task list"),
            Self::Proof => (PROJECT, "proofs"),
            Self::Run => (PROJECT, "other runs"),
            Self::Marker => (PROJECT, "marker"),
            Self::DataSize => (PROJECT, "run data"),
            Self::CheckTrial => (PROJECT, "check"),
            Self::LanesDir => (PROJECT, "lanes folder"),
            Self::LanesSetup => (PROJECT, "lanes setup"),
            Self::LanesFiles => (PROJECT, ".worktreeinclude"),
            Self::LanesBranch => (PROJECT, "run branch"),
            Self::LanesSubmodules => (PROJECT, "submodules"),
            Self::Executor => (PROJECT, "executor"),
        }
    }

    pub(crate) fn ok(self, found: impl Into<String>) -> Check {
        self.check(CheckState::Ok, found.into(), None)
    }

    pub(crate) fn warning(self, found: impl Into<String>, fix: Fix) -> Check {
        self.check(CheckState::Warning, found.into(), Some(fix))
    }

    pub(crate) fn problem(self, found: impl Into<String>, fix: Fix) -> Check {
        self.check(CheckState::Problem, found.into(), Some(fix))
    }

    /// A run would refuse to start with this error.
    pub(crate) fn refused(self, error: &anyhow::Error) -> Check {
        let text = message(error);
        let mut lines = text.lines().map(|line| line.trim().to_owned());
        let first = lines.next().unwrap_or_default();
        let fix = Fix::todo(hint(error).unwrap_or_default());
        self.problem(first, fix).with_notes(lines)
    }

    pub(crate) fn not_checked(self, why: impl Into<String>) -> Check {
        self.check(CheckState::NotChecked, why.into(), None)
    }

    fn check(self, state: CheckState, found: String, fix: Option<Fix>) -> Check {
        let (group, title) = self.place();
        Check { id: self, title: title.to_owned(), state, found, fix, notes: Vec::new(), group }
    }
}

impl Check {
    pub(crate) fn about(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    pub(crate) fn with_fix(self, fix: Fix) -> Self {
        Self { fix: Some(fix), ..self }
    }

    pub(crate) fn with_notes(self, notes: impl IntoIterator<Item = String>) -> Self {
        Self { notes: notes.into_iter().collect(), ..self }
    }
}
