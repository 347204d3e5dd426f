//! `.ralph/prompt-state.json`: what a prompt loop remembers of its last run. Apart from the story
//! loop's, so that neither forgets what the other left unjudged.

use chrono::{DateTime, Utc};
use project::{Layout, ProtectedFiles};
use serde::{Deserialize, Serialize};

use crate::decide::Counters;
use crate::failed_guardrail::FailedGuardrail;
use crate::log_mark::LogMark;
use crate::state_file::{self, State, StateError};
use crate::user_instructions::UserInstructions;
use crate::{LoopKind, RunEnd, TokenCount};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PromptState {
    pub(crate) version: u64,
    pub(crate) run_id: String,
    pub(crate) started: DateTime<Utc>,
    pub(crate) kind: LoopKind,
    /// What it works from, for people.
    pub(crate) subject: String,
    /// The same, to know it again: another prompt is another run.
    pub(crate) source: String,
    pub(crate) counters: Counters,
    pub(crate) tokens: TokenCount,
    /// Tokens, as the agent's last result told.
    pub(crate) context_window: Option<u64>,
    /// What the next prompt has to tell.
    pub(crate) failed: Vec<FailedGuardrail>,
    /// What else was wrong, in sentences.
    pub(crate) objections: Vec<String>,
    /// Files that nobody tracked when the run began: the user's own.
    pub(crate) untracked_before: Vec<String>,
    /// What the user says to the next session.
    #[serde(default, rename = "steers")]
    pub(crate) user_instructions: UserInstructions,
    /// The user's files, as the iteration that runs began with them.
    #[serde(default)]
    pub(crate) settings_before: Option<ProtectedFiles>,
    /// The end of the run's log.
    #[serde(default)]
    pub(crate) log: LogMark,
    pub(crate) ended: Option<RunEnd>,
}

impl PromptState {
    pub(crate) fn new(run_id: String, kind: LoopKind, subject: String, source: String) -> Self {
        Self {
            version: Self::VERSION,
            run_id,
            started: crate::now(),
            kind,
            subject,
            source,
            counters: Counters::default(),
            tokens: TokenCount::default(),
            context_window: None,
            failed: Vec::new(),
            objections: Vec::new(),
            untracked_before: Vec::new(),
            user_instructions: UserInstructions::default(),
            settings_before: None,
            log: LogMark::default(),
            ended: None,
        }
    }

    pub(crate) fn load(layout: &Layout) -> Result<Option<Self>, StateError> {
        state_file::load(layout, &layout.prompt_state())
    }

    pub(crate) fn save(&self, layout: &Layout) -> Result<(), StateError> {
        state_file::save(self, layout, &layout.prompt_state())
    }

    /// Whether the next run of the same prompt goes on with this one without being told to.
    pub(crate) fn goes_on(&self) -> bool {
        self.ended.is_none_or(RunEnd::goes_on)
    }
}

impl State for PromptState {
    const VERSION: u64 = 1;

    fn version(&self) -> u64 {
        self.version
    }

    fn run_id(&self) -> &str {
        &self.run_id
    }
}
