//! The state and the history of a run after some of its events: the only fold of events, shared by all displays.
//!
//! It grows with the run, by one record per iteration, but not with the agent's messages and tool calls. The JSON form
//! is the current state alone.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use isolation::Isolation;
use project::orders::Order;
use serde::Serialize;
use tasks::StoryId;

use track::Track;

use crate::describe::{activity, alarm};
use crate::{
    AgentOutcome, FinalReview, LoopEvent, PullRequestOutcome, PullRequestResult, Quota, QuotaState,
    ReviewerVerdict, Role, Stamped, StoryBrief, TokenCount, WaitView, WorkingTime,
};

mod attempts;
mod counts;
mod end;
mod finished;
mod iteration;
mod job;
mod known_failures;
mod lanes;
mod memory;
mod merges;
mod other_session;
mod pending_orders;
mod proof;
mod record;
mod reviews;
mod start;
mod stories;
mod stronger_help;
mod time_limits;
mod tool_calls;
mod totals;
mod track;

pub use attempts::{FailedAttempt, Failures, VoidVerdict, WeakenedFile};
pub use end::EndView;
pub use iteration::{Activity, CheckView, TodoView, Verdict};
pub use job::JobView;
pub use known_failures::KnownFailureView;
pub use lanes::{LaneSpan, LaneState, LaneView, SpanKind};
pub use memory::{
    CompactionView, HandoffView, Handoffs, MemoryView, PlanChange, PlanOutcome, PromptView,
    compacting,
};
pub use merges::{MergeEnd, MergeRecord, MergeResult, QueuedStory};
pub use other_session::{OtherKind, OtherSession, QualityReport};
pub use pending_orders::{Pause, PendingOrders, WaitingInstruction};
pub use proof::{CriterionProof, ProofState, ProofSummary, StoryProof, TestProof, TestRun};
pub use record::{IterationEnd, IterationRecord, StatusChange};
pub use start::StartView;
pub use stronger_help::StrongerHelpView;
pub use time_limits::{TimeLimitKind, TimeLimitReached};
pub use tool_calls::{ToolCalls, ToolView};
pub use totals::StoryTotals;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunView {
    pub id: String,
    pub start: Option<StartView>,
    /// The isolation of each agent.
    pub isolation: BTreeMap<String, Isolation>,
    pub stories: Vec<StoryBrief>,
    /// Index of each story: thousands are looked up thousands of times.
    #[serde(skip)]
    places: HashMap<StoryId, usize>,
    /// The verdicts of their last reviews, as far as seen.
    #[serde(skip)]
    pub verdicts: BTreeMap<StoryId, Verdict>,
    /// The concerns of the last review of a story that was approved at the review limit.
    #[serde(skip)]
    pub concerns: BTreeMap<StoryId, String>,
    /// Done stories, as the run counted last.
    pub done: u64,
    /// When each story was done; `None` if it was before the run.
    #[serde(skip)]
    done_since: BTreeMap<StoryId, Option<DateTime<Utc>>>,
    /// All iterations, in the order they began; a retried one occurs several times. The JSON form has those that run.
    #[serde(flatten, serialize_with = "record::serialize_running")]
    pub records: Vec<IterationRecord>,
    /// By lane; `None` is that of a run without lanes.
    #[serde(skip)]
    tracks: BTreeMap<Option<u64>, Track>,
    /// Of the running start, by number; empty for a run without lanes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lanes: Vec<LaneView>,
    /// In the order they will be merged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merge_queue: Vec<QueuedStory>,
    /// Oldest first. The JSON form has the running one.
    #[serde(
        rename = "merge",
        skip_serializing_if = "merges::none_runs",
        serialize_with = "merges::serialize_running"
    )]
    pub merges: Vec<MergeRecord>,
    /// Ended iterations; a retried one counts once.
    pub iterations: u64,
    pub accepted: u64,
    pub failed: u64,
    /// Of ended iterations.
    pub cost_usd: f64,
    /// Whether an ended session reported its cost; `None` before the first.
    #[serde(skip)]
    has_cost: Option<bool>,
    /// Working time.
    #[serde(skip)]
    pub worked: WorkingTime,
    /// Of all ended sessions, including those between iterations; 0 if agents do not report it.
    pub turns: u64,
    /// `None` for a run without handoffs.
    pub memory: Option<MemoryView>,
    /// The story whose quality is being reviewed.
    #[serde(skip)]
    pub quality_of: Option<StoryId>,
    pub rest: Option<WaitView>,
    /// Pending orders of the user.
    pub pending_orders: PendingOrders,
    /// The run was asked to stop.
    pub stopping: bool,
    pub warnings: u64,
    pub last_activity: Option<Activity>,
    pub end: Option<EndView>,
    /// The last attempt to publish the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<PullRequestResult>,
    /// What a person must not overlook, oldest first.
    #[serde(skip)]
    pub alarms: Vec<(Role, String)>,
    /// Ended sessions outside iterations.
    #[serde(skip)]
    pub others: Vec<OtherSession>,
    /// Of all ended sessions.
    #[serde(skip)]
    pub tokens: TokenCount,
    /// How the last session ended.
    #[serde(skip)]
    pub last_outcome: Option<AgentOutcome>,
    #[serde(skip)]
    pub quota: Option<Quota>,
    /// Oldest first, with their time.
    #[serde(skip)]
    pub warning_texts: Vec<(DateTime<Utc>, String)>,
    /// Checks that failed without the run's work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known_failures: Vec<KnownFailureView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stronger_help: Vec<StrongerHelpView>,
    /// Of stories with several reviewers, oldest first.
    #[serde(skip)]
    pub reviewer_verdicts: Vec<ReviewerVerdict>,
    /// Of stories that tests must prove.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub proofs: BTreeMap<StoryId, StoryProof>,
    /// Reviews of all work, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub final_reviews: Vec<FinalReview>,
    /// Alterations of the log that the runner noticed.
    #[serde(skip)]
    pub log_alterations: Vec<String>,
    #[serde(skip)]
    pub failures: Failures,
    #[serde(skip)]
    pub time_limits: Vec<TimeLimitReached>,
    #[serde(skip)]
    pub plan_changes: Vec<PlanChange>,
    #[serde(skip)]
    pub started: Option<DateTime<Utc>>,
    #[serde(skip)]
    pub last_event: Option<DateTime<Utc>>,
    /// How often the run was started: more than once if it was resumed.
    #[serde(skip)]
    pub starts: u64,
}

impl RunView {
    pub fn of<'e>(events: impl IntoIterator<Item = &'e Stamped>) -> Self {
        let mut view = Self::default();
        events.into_iter().for_each(|stamped| view.apply(stamped));
        view
    }

    pub fn apply(&mut self, stamped: &Stamped) {
        let (at, lane, event) = (stamped.at, stamped.lane, &stamped.event);
        self.id.clone_from(&stamped.run);
        self.started.get_or_insert(at);
        self.alarms.extend(alarm(stamped, self));
        let activity =
            activity(stamped, self).map(|text| Activity { at, text: iteration::first_line(&text) });
        self.apply_to_lanes(stamped, activity.as_ref());
        self.last_activity = activity.or(self.last_activity.take());
        self.apply_to_time_limits(lane, event);
        self.apply_between(lane, event);
        self.apply_to_sessions(at, lane, event);
        let running = self.story_to_skip(lane);
        self.pending_orders.apply(at, lane, event, running.as_ref());
        memory::apply(&mut self.memory, at, event);
        if !self.others_work(stamped) {
            self.worked.apply(at, event);
        }
        self.apply_to_failures(lane, event);
        self.apply_to_merges(at, lane, event);
        let last = self.last_place_in(lane);
        if let Some(last) = last.and_then(|last| self.records.get_mut(last)) {
            last.apply(at, event);
        }
        self.apply_to_run(at, lane, event);
        self.apply_to_stories(at, lane, event);
        self.apply_to_reviews(event);
        known_failures::apply(&mut self.known_failures, event);
        stronger_help::apply(&mut self.stronger_help, event);
        self.apply_to_finished(at, event);
        self.last_event = Some(at);
    }

    /// The running iteration of a run without lanes.
    pub fn iteration(&self) -> Option<&IterationRecord> {
        self.iteration_in(None)
    }

    /// Of the running session of a run without lanes, in an iteration or between two.
    pub fn calls(&self) -> &ToolCalls {
        self.calls_in(None)
    }

    /// The running session that compacts handoffs.
    pub fn compaction(&self) -> Option<CompactionView> {
        self.memory.as_ref()?.compaction
    }

    fn apply_to_run(&mut self, at: DateTime<Utc>, lane: Option<u64>, event: &LoopEvent) {
        match event {
            LoopEvent::RunStarted { start, resumed, .. } => {
                self.start = Some(StartView { at, options: start.clone() });
                self.starts += 1;
                self.isolation.clear();
                // A resumed run is not over, and is not asked to stop.
                (self.end, self.rest, self.stopping) = (None, None, false);
                self.quality_of = None;
                let last_seen = self.last_event.unwrap_or(at);
                self.each_last_mut(|last| last.cut_off(last_seen));
                if let Some(resumed) = resumed {
                    self.iterations = resumed.iterations;
                    self.cost_usd = resumed.cost_usd;
                }
            }
            LoopEvent::IsolationChosen { agent, isolation, .. } => {
                self.isolation.insert(agent.clone(), *isolation);
            }
            LoopEvent::IterationStarted(started) => {
                self.begin_record(IterationRecord::begun(at, lane, started));
                self.rest = None;
            }
            LoopEvent::IterationEnded(ended) => self.iteration_ended(lane, ended),
            LoopEvent::QualityStarted { story } => self.quality_of = Some(story.clone()),
            LoopEvent::QualityChecked { story, cost_usd, .. } => {
                self.quality_of = None;
                self.cost_usd += cost_usd;
                if let Some(story) = self.story_mut(story) {
                    story.cost_usd += cost_usd;
                }
            }
            LoopEvent::AgentEnded(ended) => {
                self.last_outcome = Some(ended.outcome);
                self.session_ended(ended.cost_usd);
                self.turns = self.turns.saturating_add(ended.turns.unwrap_or_default());
            }
            LoopEvent::CompactionStarted { .. } => self.rest = None,
            LoopEvent::CompactionEnded { cost_usd, .. } => self.cost_usd += cost_usd,
            // Other lanes may work.
            LoopEvent::Waiting(wait) if lane.is_none() => self.rest = Some(wait.clone()),
            LoopEvent::StopRequested { .. } | LoopEvent::OrderAccepted { order: Order::Stop } => {
                self.stopping = true;
            }
            LoopEvent::Warning { text } => {
                self.warnings += 1;
                self.warning_texts.push((at, text.clone()));
            }
            LoopEvent::LogAltered { text, .. } => {
                self.warnings += 1;
                self.log_alterations.push(text.clone());
            }
            LoopEvent::OrderRefused { .. }
            | LoopEvent::HookMissing { .. }
            | LoopEvent::TestsWeakened { .. }
            | LoopEvent::VerdictVoid { .. }
            | LoopEvent::TimeWarning { .. } => self.warnings += 1,
            LoopEvent::Quota(quota) => {
                self.warnings += u64::from(quota.state != QuotaState::Allowed);
                self.quota = Some(quota.clone());
            }
            LoopEvent::PlanAmended { iteration, applied, refused } => {
                let iteration = *iteration;
                let change =
                    |outcome, text: &String| PlanChange { iteration, outcome, text: text.clone() };
                let applied = applied.iter().map(|text| change(PlanOutcome::Applied, text));
                let refused = refused.iter().map(|text| change(PlanOutcome::Refused, text));
                self.plan_changes.extend(applied.chain(refused));
            }
            LoopEvent::PullRequest(result) => {
                self.warnings += u64::from(result.outcome == PullRequestOutcome::Failed);
                self.pull_request = Some(result.clone());
            }
            LoopEvent::RunEnded(ended) => self.run_ended(at, ended),
            _ => {}
        }
    }

    /// The story of a skip order that names none: that of the only running iteration.
    fn story_to_skip(&self, lane: Option<u64>) -> Option<StoryId> {
        let mut running = self.running();
        let only = running.next().filter(|_| running.next().is_none());
        self.iteration_in(lane).or(only)?.story.clone()
    }
}

#[cfg(test)]
mod tests;
