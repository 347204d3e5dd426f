//! A command that must pass before work counts, and which kinds of commands must pass.

use serde::{Deserialize, Serialize};

use crate::word::words;
use crate::{FailAction, TimeSpan};

/// A command that must pass before work counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Guardrail {
    /// The command, run by the shell in the project folder. It passes with exit code 0.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[^\x00]*[^\s\x00][^\x00]*$")))]
    pub command: String,
    /// The kind of check, which `validation` uses to decide whether it must pass.
    #[serde(default, skip_serializing_if = "GuardrailKind::is_default")]
    pub kind: GuardrailKind,
    /// Patterns of files such as `web/**`, relative to the project folder; `!` excludes files. In the story loop, a step
    /// that changes no such file does not run the command; the step that would complete the run does. Default: each
    /// step runs it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The effect of a failure on the next prompt: its message is appended (`APPEND`), prepended (`PREPEND`) or
    /// replaces the prompt (`REPLACE`).
    #[serde(default)]
    pub fail_action: FailAction,
    /// A hint for the agent when the command fails, such as how to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The time limit of the command. Default: `timeLimits.guardrail`; `"0s"` is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<TimeSpan>,
}

impl Guardrail {
    /// A command with the defaults, such as one of the task list's `verifyCommands`.
    pub fn of_command(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            kind: GuardrailKind::default(),
            paths: Vec::new(),
            fail_action: FailAction::default(),
            hint: None,
            time_limit: None,
        }
    }
}

words! {
    /// The kind of a guardrail.
    #[derive(Default)]
    pub enum GuardrailKind {
        #[default]
        Test = "test",
        Lint = "lint",
        Build = "build",
        Other = "other",
    }
}

/// Whether git compares it with paths of the project.
pub fn is_path_pattern(text: &str) -> bool {
    let pattern = text.strip_prefix('!').unwrap_or(text);
    let is_inside = !pattern.starts_with('/') && pattern.split('/').all(|part| part != "..");
    is_inside && !pattern.trim().is_empty() && !pattern.contains('\0')
}

impl GuardrailKind {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

words! {
    /// What a check means that fails before the first story.
    #[derive(Default)]
    pub enum BaseChecks {
        /// It is not held against a story.
        #[default]
        Excuse = "excuse",
        /// The run does not start.
        Require = "require",
        /// The checks do not run before the first story.
        Off = "off",
    }
}

words! {
    /// Which guardrails must pass for a story to count.
    #[derive(Default)]
    pub enum ValidationStrategy {
        #[default]
        Strict = "strict",
        Lenient = "lenient",
        TestsOnly = "testsOnly",
    }
}

impl ValidationStrategy {
    pub fn runs(self, kind: GuardrailKind) -> bool {
        match self {
            Self::Strict | Self::Lenient => true,
            Self::TestsOnly => kind == GuardrailKind::Test,
        }
    }

    /// Whether a failure rejects the step.
    pub fn is_rejected_by(self, kind: GuardrailKind) -> bool {
        match self {
            Self::Strict => true,
            Self::Lenient => kind != GuardrailKind::Lint,
            Self::TestsOnly => kind == GuardrailKind::Test,
        }
    }
}
