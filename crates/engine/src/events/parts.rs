//! The closed sets of words and the small records that events are made of.

use std::fmt;

use isolation::Isolation;
use serde::{Deserialize, Serialize};
use tasks::{Mode, ReviewStatus, Story, StoryId};

use super::GivenUp;

/// What a run works from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoopKind {
    /// A task list.
    #[default]
    Stories,
    /// Specifications, to a plan.
    Plan,
    /// A plan, to code.
    Build,
    /// Any prompt.
    Prompt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IterationMode {
    Implement,
    Review,
    ReviewFix,
    Plan,
    Build,
    Prompt,
}

impl From<Mode> for IterationMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Implement => Self::Implement,
            Mode::Review => Self::Review,
            Mode::ReviewFix => Self::ReviewFix,
        }
    }
}

impl fmt::Display for IterationMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Implement => "implement",
            Self::Review => "review",
            Self::ReviewFix => "review-fix",
            Self::Plan => "plan",
            Self::Build => "build",
            Self::Prompt => "prompt",
        })
    }
}

/// What a tool answered: how much it was, and how it begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolOutput {
    pub excerpt: String,
    pub lines: u64,
    pub chars: u64,
}

/// What a guardrail that failed does to the next prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum FailAction {
    /// Its message goes after the prompt.
    #[default]
    Append,
    /// Its message goes before the prompt.
    Prepend,
    /// Its message is the prompt.
    Replace,
}

impl fmt::Display for FailAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Append => "APPEND",
            Self::Prepend => "PREPEND",
            Self::Replace => "REPLACE",
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScmOutcome {
    Done,
    NothingToDo,
    Failed,
}

/// What a run that goes on brings along.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resumed {
    pub iterations: u64,
    pub cost_usd: f64,
    /// What the run had worked; not there in logs of older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// A story as a table shows it.
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
    /// If the run gave it up.
    #[serde(default, alias = "setAside", skip_serializing_if = "Option::is_none")]
    pub given_up: Option<GivenUp>,
}

impl StoryBrief {
    /// A story that nothing was spent on yet.
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
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TodoItem {
    pub text: String,
    pub state: TodoState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TodoState {
    Pending,
    InProgress,
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolOutcome {
    Ok,
    Failed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuotaState {
    Allowed,
    Warning,
    Rejected,
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
    /// The runner itself was killed; found by the next one.
    RunnerDied,
}

impl AgentOutcome {
    /// Whether the agent came to say something by itself.
    pub(crate) fn is_answer(self) -> bool {
        matches!(self, Self::Answered | Self::TurnLimit)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenCount {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_creation: u64,
}

impl TokenCount {
    pub fn add(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_creation = self.cache_creation.saturating_add(other.cache_creation);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "code")]
pub enum GateOutcome {
    Passed,
    /// The command's exit code; `None` if a signal ended it.
    Failed(Option<i32>),
    TimedOut,
    NotStarted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GatesOutcome {
    Passed,
    /// They passed on this very tree before.
    PassedBefore,
    Failed,
    /// The project has none.
    None,
}

/// The agent said that everything is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    True,
    False,
}

/// What a claim of completion is compared with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimBasis {
    #[default]
    TaskList,
    /// All of them passed in the same iteration.
    Checks,
    /// No checks are configured.
    Nothing,
}

/// What is wrong with a last message that almost gives the completion tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NearMiss {
    OtherWord,
    Spelling,
    NotAtEnd,
    NoTag,
}

impl From<agents::NearMiss> for NearMiss {
    fn from(near_miss: agents::NearMiss) -> Self {
        match near_miss {
            agents::NearMiss::OtherWord => Self::OtherWord,
            agents::NearMiss::Spelling => Self::Spelling,
            agents::NearMiss::NotAtEnd => Self::NotAtEnd,
            agents::NearMiss::NoTag => Self::NoTag,
        }
    }
}

impl NearMiss {
    /// For people and for the agent, in a sentence.
    pub fn in_words(self, wanted: &str) -> String {
        match self {
            Self::OtherWord => {
                format!("the tag in the last message holds another word than {wanted}")
            }
            Self::Spelling => format!("the tag in the last message is not spelled {wanted}"),
            Self::NotAtEnd => format!(
                "{wanted} is in the last message, but neither on a line of its own nor at its end"
            ),
            Self::NoTag => {
                format!("the last message ends with the word alone, without the tag {wanted}")
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IterationStatus {
    /// The story took a step, and it stands.
    Accepted,
    /// Nothing moved: work is left for the next iteration.
    NoProgress,
    /// It did what it may not; undone.
    #[serde(alias = "undone")]
    Reverted,
    #[serde(alias = "gates-failed")]
    ChecksFailed,
    /// A review gave no verdict that counts; it is repeated.
    Void,
    TimedOut,
    /// The agent failed; the iteration is tried again.
    Retried,
    /// The agent failed for good.
    Failed,
    /// The user stopped it.
    Stopped,
}

impl IterationStatus {
    /// Whether it counts against the most iterations.
    pub fn is_used_up(self) -> bool {
        match self {
            Self::Accepted
            | Self::NoProgress
            | Self::Reverted
            | Self::ChecksFailed
            | Self::Void
            | Self::TimedOut => true,
            Self::Retried | Self::Failed | Self::Stopped => false,
        }
    }

    /// Whether its story was tried in vain.
    pub fn is_failed_attempt(self) -> bool {
        matches!(self, Self::Reverted | Self::ChecksFailed | Self::TimedOut)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RestReason {
    /// Before the agent is tried again.
    Backoff,
    /// Until the usage limit is reset.
    UsageLimit,
    /// Between two iterations.
    Pause,
}

/// A wall that would be stronger than the one that was chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PassedOver {
    #[serde(alias = "wall")]
    pub isolation: Isolation,
    pub why: String,
    /// The way to have it.
    pub fix: Option<String>,
}
