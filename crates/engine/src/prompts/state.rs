//! `.ralph/prompt-state.json`: the persistent state of the last prompt run. It is separate from the story
//! loop's state, so that neither overwrites unjudged work of the other.

use chrono::{DateTime, Utc};
use events::{LoopKind, RunEnd, TokenCount};
use project::{Layout, ProtectedFiles};
use serde::{Deserialize, Serialize};

use crate::checks::FailedGuardrail;
use crate::control::{Counters, UsageLimits, UserInstructions};
use crate::log_mark::LogMark;
use crate::state_file::{self, StateError};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PromptState {
    pub(crate) version: u64,
    pub(crate) run_id: String,
    pub(crate) started: DateTime<Utc>,
    pub(crate) kind: LoopKind,
    /// What it works from, for display.
    pub(crate) subject: String,
    /// Identifies the prompt: another prompt starts another run.
    pub(crate) source: String,
    pub(crate) counters: Counters,
    pub(crate) tokens: TokenCount,
    /// Size in tokens, from the agent's last result.
    pub(crate) context_window: Option<u64>,
    /// Failed guardrails, for the next prompt.
    pub(crate) failed: Vec<FailedGuardrail>,
    /// Other problems as sentences, for the next prompt.
    pub(crate) objections: Vec<String>,
    /// Files that were untracked when the run began. They belong to the user.
    pub(crate) untracked_before: Vec<String>,
    /// For the next session.
    #[serde(default, rename = "steers")]
    pub(crate) user_instructions: UserInstructions,
    /// The user's settings at the start of the current iteration.
    #[serde(default)]
    pub(crate) settings_before: Option<ProtectedFiles>,
    /// Position of the last event in the run's log.
    #[serde(default)]
    pub(crate) log: LogMark,
    /// Agents that are at their usage limits.
    #[serde(default)]
    pub(crate) usage_limits: UsageLimits,
    pub(crate) ended: Option<RunEnd>,
}

impl PromptState {
    pub(crate) fn new(run_id: String, kind: LoopKind, subject: String, source: String) -> Self {
        Self {
            version: state_file::VERSION,
            run_id,
            started: events::now(),
            kind,
            subject,
            source,
            ..Self::default()
        }
    }

    pub(crate) fn load(layout: &Layout) -> Result<Option<Self>, StateError> {
        state_file::load(layout, &layout.prompt_state())
    }

    pub(crate) fn save(&self, layout: &Layout) -> Result<(), StateError> {
        state_file::save(self, layout, &layout.prompt_state())
    }

    /// Whether the next run of the same prompt resumes this one without `--resume`.
    pub(crate) fn resumes_automatically(&self) -> bool {
        self.ended.is_none_or(RunEnd::resumes_automatically)
    }
}
