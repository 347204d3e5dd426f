//! The report of a run: `ralph-loop report` and `report.md`.
//!
//! `RunReport` is plain data from a `RunView`; `markdown` and `html` render it. `report` is the live
//! output, `status` the current task list.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use events::{
    FailedAttempt, FinalReview, GivenUp, Handoffs, KnownFailureView, LogCheck, LoopKind,
    MergeRecord, PlanChange, PullRequestResult, QualityReport, ReviewerVerdict, RolledBack, RunEnd,
    StoryBrief, StrongerHelpView, TimeLimitReached, VoidVerdict, WeakenedFile,
};
use html_report::NextStep;
use isolation::Isolation;
use serde::Serialize;
use tasks::StoryId;

use crate::report::reviews;
use crate::status::RunState;

mod assemble;
mod diffs;
mod file;
mod kept_work;
mod markdown;
mod next_steps;
mod proof;
mod repeated;
mod safe_markdown;
mod shell;
mod terminal;

pub(crate) use diffs::diffs;
pub(crate) use events::concerns_at_cap;
pub(crate) use file::{html, read, recorded, write};
pub(crate) use markdown::markdown;
pub(crate) use proof::ProofReport;
pub(crate) use repeated::RepeatedFailure;
pub(crate) use safe_markdown::{code as markdown_code, text as markdown_text};
pub(crate) use shell::{merge_commands, quoted};
pub(crate) use terminal::terminal;

/// The version of the JSON form.
const VERSION: u64 = 1;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunReport {
    pub version: u64,
    pub run: String,
    /// Relative to the project. Empty for readers elsewhere.
    pub folder: String,
    pub state: RunState,
    #[serde(rename = "loop")]
    pub kind: LoopKind,
    pub name: String,
    /// Empty without git.
    pub branch: String,
    /// The branch to merge the work into, if known.
    pub base: Option<String>,
    pub agent: String,
    /// The isolation of each agent.
    pub isolation: BTreeMap<String, Isolation>,
    pub started: Option<DateTime<Utc>>,
    pub last_event: Option<DateTime<Utc>>,
    /// More than 1 for a resumed run.
    pub starts: u64,
    /// Time worked.
    pub seconds: f64,
    /// `None` for a run that is running or was killed.
    pub end: Option<Ending>,
    pub iterations: u64,
    pub max_iterations: u64,
    pub accepted_iterations: u64,
    pub failed_iterations: u64,
    /// `None` if no agent reports its cost.
    pub cost_usd: Option<f64>,
    /// Of all sessions; 0 if agents report none.
    pub turns: u64,
    pub max_attempts: Option<u64>,
    /// Number of check commands; unknown for older runs.
    pub checks: Option<u64>,
    /// The limit of reviews per story; `None` without reviews.
    pub review_cap: Option<u64>,
    /// Only for a loop without stories.
    pub repeated_failure: Option<RepeatedFailure>,
    /// The story that the run was limited to.
    pub only_story: Option<StoryId>,
    pub stories: u64,
    pub completed: Vec<CompletedStory>,
    pub failed: Vec<FailedStory>,
    pub blocked: Vec<BlockedStory>,
    pub unfinished: Vec<UnfinishedStory>,
    /// Of the stories that tests must prove.
    pub proofs: Vec<ProofReport>,
    pub void_verdicts: Vec<VoidVerdict>,
    pub weakened_tests: Vec<WeakenedFile>,
    /// The last quality check of each story.
    pub quality: Vec<QualityReport>,
    /// Of stories with several reviewers, oldest first.
    pub reviewer_verdicts: Vec<ReviewerVerdict>,
    /// Reviews of all work, oldest first; void ones too.
    pub final_reviews: Vec<FinalReview>,
    pub time_limits: Vec<TimeLimitReached>,
    pub handoffs: Handoffs,
    pub compactions: Compactions,
    pub plan_changes: Vec<PlanChange>,
    pub rollbacks: Vec<Rollback>,
    pub next: Vec<NextStep>,
    /// The last attempt of the run to publish its work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<PullRequestResult>,
    /// Lines of its log that this version cannot read.
    pub unread_lines: u64,
    /// Whether the log was altered.
    pub log: LogCheck,
    /// Checks that failed without the run's work.
    pub known_failures: Vec<KnownFailureView>,
    /// Attempts with a stronger model or another agent.
    pub stronger_help: Vec<StrongerHelpView>,
    /// Alterations that the runner noticed during the run.
    pub log_alterations: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ending {
    pub end: RunEnd,
    pub exit_code: u8,
    pub text: String,
    pub at: DateTime<Utc>,
    /// Why stories are blocked.
    pub reasons: Vec<String>,
}

impl RunReport {
    pub(crate) fn to_json(&self) -> String {
        // Plain data with string keys always becomes JSON.
        sanitize::json(serde_json::to_string_pretty(self).unwrap_or_default()) + "\n"
    }

    /// For readers elsewhere: without what only makes sense on this machine, or what changes after the end.
    pub(crate) fn shared(&self) -> Self {
        let last_event = self.end.as_ref().map(|end| end.at).or(self.last_event);
        Self {
            folder: String::new(),
            next: Vec::new(),
            pull_request: None,
            last_event,
            ..self.clone()
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Compactions {
    pub done: u64,
    /// The reasons of failed compactions.
    pub failures: Vec<String>,
    /// With failed ones; 0 if the agent reports no cost.
    pub cost_usd: f64,
}

/// A failed iteration that was rolled back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rollback {
    #[serde(flatten)]
    pub rolled_back: RolledBack,
    /// Shell command that shows its changes.
    pub command: Option<String>,
}

/// Data of every story.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoryFacts {
    pub id: StoryId,
    pub title: String,
    pub reviews: u64,
    pub failed_attempts: u64,
    pub cost_usd: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CompletedStory {
    #[serde(flatten)]
    pub facts: StoryFacts,
    /// The concerns of the last review, if it was approved at the review limit.
    pub auto_approved: Option<String>,
    /// For a run that merges the work of clones into its branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged: Option<MergedStory>,
}

/// When a story came into the run's branch, and from which lane.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MergedStory {
    pub at: DateTime<Utc>,
    pub lane: Option<u64>,
    pub commit: String,
}

impl MergedStory {
    fn of(merge: &MergeRecord) -> Option<Self> {
        let commit = merge.commit()?.to_owned();
        Some(Self { at: merge.end.as_ref()?.at, lane: merge.lane, commit })
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FailedStory {
    #[serde(flatten)]
    pub facts: StoryFacts,
    pub given_up: GivenUp,
    pub quality_warnings: Vec<String>,
    pub history: Vec<FailedAttempt>,
}

/// Depends on a failed story, directly or not.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BlockedStory {
    #[serde(flatten)]
    pub facts: StoryFacts,
    pub waits_for: Vec<StoryId>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnfinishedStory {
    #[serde(flatten)]
    pub facts: StoryFacts,
    pub state: &'static str,
    /// Its open question to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    pub history: Vec<FailedAttempt>,
}

impl StoryFacts {
    fn of(story: &StoryBrief) -> Self {
        Self {
            id: story.id.clone(),
            title: story.title.clone(),
            reviews: reviews(story),
            failed_attempts: story.failed_attempts,
            cost_usd: story.cost_usd,
        }
    }
}

#[cfg(test)]
mod tests;
