//! The enums and small records that events consist of.

use agents::QuotaState;
use chrono::{DateTime, Utc};
use isolation::Isolation;
use run_options::FailAction;
use serde::{Deserialize, Deserializer, Serialize};
use tasks::{Mode, ReviewStatus, Story, StoryId};

use super::GivenUp;

/// What a run works from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoopKind {
    /// A task list.
    #[default]
    Stories,
    /// From specifications to a plan.
    Plan,
    /// From a plan to code.
    Build,
    /// Any prompt.
    Prompt,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum IterationMode {
    #[default]
    Implement,
    Review,
    ReviewFix,
    /// Writes the tests that prove a story.
    Specify,
    /// Reviews all work of the run.
    FinalReview,
    Plan,
    Build,
    Prompt,
}

impl IterationMode {
    /// A session that judges and changes nothing.
    pub fn is_review(self) -> bool {
        matches!(self, Self::Review | Self::FinalReview)
    }
}

impl From<Mode> for IterationMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Implement => Self::Implement,
            Mode::Review => Self::Review,
            Mode::ReviewFix => Self::ReviewFix,
            Mode::Specify => Self::Specify,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScmOutcome {
    Done,
    NothingToDo,
    Failed,
}

/// What a resumed run continues with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resumed {
    pub iterations: u64,
    pub cost_usd: f64,
    /// Working time so far; missing in logs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// A story as shown in tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryBrief {
    pub id: StoryId,
    pub title: String,
    pub passes: bool,
    pub review_status: ReviewStatus,
    pub review_count: u64,
    pub failed_attempts: u64,
    pub cost_usd: f64,
    /// Set if the run gave it up.
    #[serde(default, alias = "setAside", skip_serializing_if = "Option::is_none")]
    pub given_up: Option<GivenUp>,
    /// Set while it waits for an answer of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<OpenQuestion>,
    /// The issue or file that it was imported from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A question of a session that the user has not answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenQuestion {
    /// Counts the questions of the story.
    pub number: u64,
    pub asked_at: DateTime<Utc>,
    pub text: String,
}

/// What follows from the question of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionEffect {
    /// The story waits for the answer.
    Waits,
    /// The session submitted the story, or its changes were reverted: that counts.
    NotWaiting,
    /// The story has asked all of its questions.
    LimitReached,
}

impl StoryBrief {
    /// A story without any iterations yet.
    pub fn of(story: &Story) -> Self {
        Self {
            id: story.id.clone(),
            title: story.title.clone(),
            passes: story.passes,
            review_status: story.review_status,
            review_count: story.review_count,
            failed_attempts: 0,
            cost_usd: 0.0,
            given_up: None,
            question: None,
            source: story.source.clone(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HookAnswerKind {
    Blocked,
    Warned,
    #[serde(alias = "told")]
    Informed,
    Failed,
}

/// How a session of the agent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentOutcome {
    Answered,
    EmptyAnswer,
    TurnLimit,
    BudgetExhausted,
    UsageLimit,
    PromptTooLong,
    LoginNeeded,
    ApiError,
    Crashed,
    TimedOut,
    Stopped,
    /// The runner was killed; recorded by the next run.
    RunnerDied,
}

impl AgentOutcome {
    /// Whether the agent finished its answer.
    pub fn is_answer(self) -> bool {
        matches!(self, Self::Answered | Self::TurnLimit)
    }
}

/// What a job on another machine runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobPurpose {
    #[default]
    Session,
    Checks,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "code")]
pub enum CheckOutcome {
    Passed,
    /// The command's exit code; `None` if a signal ended it.
    Failed(Option<i32>),
    TimedOut,
    NotStarted,
}

/// A finished check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckRecord {
    pub command: String,
    pub outcome: CheckOutcome,
    pub seconds: f64,
    /// The effect of a failure on the next prompt.
    #[serde(default)]
    pub fail_action: FailAction,
    /// The log file with the whole output, relative to the project.
    pub log: String,
    /// The last lines of a failed check's output.
    pub tail: Vec<String>,
}

/// A check that fails without the run's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownFailure {
    pub command: String,
    pub error: String,
    /// It failed in different ways.
    #[serde(default, rename = "unstable", skip_serializing_if = "std::ops::Not::not")]
    pub is_unstable: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChecksOutcome {
    Passed,
    /// They passed on this tree before.
    PassedBefore,
    Failed,
    /// The project has none.
    None,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevertedChanges {
    pub findings: Vec<String>,
    pub corrections: Vec<String>,
    pub commit: Option<String>,
}

/// The usage of a quota window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Quota {
    pub state: QuotaState,
    pub window: String,
    /// A fraction: 1.0 is all of it.
    pub used: Option<f64>,
    pub resets_at: Option<DateTime<Utc>>,
}

/// Logs of older versions have the words `true` and `false` in place of a boolean.
pub(super) fn accepted<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Accepted {
        Bool(bool),
        Word(String),
    }
    Ok(match Accepted::deserialize(deserializer)? {
        Accepted::Bool(accepted) => accepted,
        Accepted::Word(word) => word == "true",
    })
}

/// How the runner verifies a claim of completion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimBasis {
    #[default]
    TaskList,
    /// All checks passed in the same iteration.
    Checks,
    /// No checks are configured.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IterationStatus {
    /// The story advanced.
    Accepted,
    /// The story did not advance: the next iteration continues.
    NoProgress,
    /// It broke a rule; its changes were reverted.
    #[serde(alias = "undone")]
    Reverted,
    #[serde(alias = "gates-failed")]
    ChecksFailed,
    /// The session asked the user a question.
    Asked,
    /// A review without a valid verdict; it is repeated.
    Void,
    TimedOut,
    /// The agent failed; the iteration is retried.
    Retried,
    /// The agent failed after all retries.
    Failed,
    /// The user stopped it.
    Stopped,
}

impl IterationStatus {
    /// Whether it counts against the iteration limit.
    pub fn is_used_up(self) -> bool {
        !matches!(self, Self::Retried | Self::Failed | Self::Stopped)
    }

    /// Whether it counts as a failed attempt at its story.
    pub fn is_failed_attempt(self) -> bool {
        matches!(self, Self::Reverted | Self::ChecksFailed | Self::TimedOut)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitReason {
    /// Before the agent is retried.
    Backoff,
    /// Until the usage limit resets.
    UsageLimit,
    /// Between two iterations.
    Pause,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WaitView {
    pub reason: WaitReason,
    pub text: String,
    pub until: DateTime<Utc>,
}

/// A stronger isolation than the chosen one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnusedIsolation {
    #[serde(alias = "wall")]
    pub isolation: Isolation,
    pub why: String,
    /// How to enable it.
    pub fix: Option<String>,
}
