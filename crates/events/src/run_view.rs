//! The state and the history of a run after some of its events: the only fold of events, shared by all displays.
//!
//! It grows with the run, by one record per iteration, but not with the agent's messages and tool calls. The JSON form
//! is the current state alone.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use isolation::Isolation;
use project::orders::Order;
use serde::Serialize;
use tasks::{ReviewStatus, StoryId};

use track::Track;

use crate::describe::{activity, alarm};
use crate::{
    AgentOutcome, FinalReview, IterationEnded, IterationStatus, KnownFailure, LoopEvent,
    OpenQuestion, QuestionEffect, Quota, QuotaState, ReviewerVerdict, Role, RunEnd, RunEnded,
    Stamped, StoryBrief, TokenCount, WaitView, WaitingStory, WorkingTime, concerns_at_cap,
};

mod attempts;
mod finished;
mod iteration;
mod job;
mod lanes;
mod memory;
mod merges;
mod other_session;
mod pending_orders;
mod record;
mod start;
mod time_limits;
mod tool_calls;
mod totals;
mod track;

pub use attempts::{FailedAttempt, Failures, VoidVerdict, WeakenedFile};
pub use iteration::{Activity, CheckView, TodoView, Verdict};
pub use job::JobView;
pub use lanes::{LaneSpan, LaneState, LaneView, SpanKind};
pub use memory::{
    CompactionView, HandoffView, Handoffs, MemoryView, PlanChange, PlanOutcome, PromptView,
    compacting,
};
pub use merges::{MergeEnd, MergeRecord, MergeResult, QueuedStory};
pub use other_session::{OtherKind, OtherSession, QualityReport};
pub use pending_orders::{Pause, PendingOrders, WaitingInstruction};
pub use record::{IterationEnd, IterationRecord, StatusChange};
pub use start::StartView;
pub use time_limits::{TimeLimitKind, TimeLimitReached};
pub use tool_calls::{ToolCalls, ToolView};
pub use totals::StoryTotals;

/// What an attempt with a stronger model or another agent cost, and whether it completed the story.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StrongerHelpView {
    pub story: StoryId,
    pub help: String,
    pub cost_usd: f64,
    pub solved: bool,
}

/// A check that failed without the run's work, and the story that made it pass.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownFailureView {
    #[serde(flatten)]
    pub failure: KnownFailure,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed_by: Option<StoryId>,
}

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

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EndView {
    pub at: DateTime<Utc>,
    pub end: RunEnd,
    pub exit_code: u8,
    pub text: String,
    /// Working time of the run at that point.
    pub seconds: f64,
    pub blocked: Vec<String>,
    /// Stories that wait for other stories.
    pub waiting: Vec<WaitingStory>,
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

    /// Ended and running iterations.
    pub fn begun_iterations(&self) -> u64 {
        self.iterations + self.running().count() as u64
    }

    /// The cost so far, including running iterations.
    pub fn spent_usd(&self) -> f64 {
        self.cost_usd + self.running().filter_map(|running| running.cost_usd).sum::<f64>()
    }

    /// The same; `None` if no agent of the run reports its cost.
    pub fn cost(&self) -> Option<f64> {
        let spent = self.spent_usd();
        (self.has_cost != Some(false) || spent > 0.0).then_some(spent)
    }

    pub fn story(&self, id: &StoryId) -> Option<&StoryBrief> {
        self.stories.get(*self.places.get(id)?)
    }

    pub fn is_done(&self, story: &StoryBrief) -> bool {
        let is_reviewed = self.start.as_ref().is_none_or(|start| start.review_cap.is_some());
        // A story that passes and was never submitted is from a run without reviews.
        let has_review =
            matches!(story.review_status, ReviewStatus::Approved | ReviewStatus::NotSubmitted);
        story.passes && (!is_reviewed || has_review)
    }

    /// `attempt 3/5`, for a story that failed before.
    pub fn attempt_at(&self, story: &StoryId) -> Option<(Role, String)> {
        let of = self.start.as_ref()?.max_attempts?;
        let failed = self.story(story)?.failed_attempts;
        (failed > 0).then(|| (Role::Warn, format!("attempt {}/{of}", failed.saturating_add(1))))
    }

    fn apply_to_run(&mut self, at: DateTime<Utc>, lane: Option<u64>, event: &LoopEvent) {
        match event {
            LoopEvent::RunStarted { start, stories, resumed, .. } => {
                self.start = Some(StartView { at, options: start.clone() });
                self.starts += 1;
                self.isolation.clear();
                self.set_stories(stories);
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
            LoopEvent::StoryStatusChanged { story, to, reviews, feedback, passes, .. } => {
                let verdict = Verdict::of(*to, feedback);
                set(&mut self.verdicts, story, verdict);
                let at_cap = verdict.filter(|verdict| *verdict == Verdict::ApprovedAtCap);
                let concerns = at_cap.and_then(|_| concerns_at_cap(feedback));
                set(&mut self.concerns, story, concerns.map(str::to_owned));
                if let Some(story) = self.story_mut(story) {
                    story.review_status = *to;
                    story.review_count = *reviews;
                    // A story of a lane passes when it is merged.
                    let is_approved = *passes || *to == ReviewStatus::Approved;
                    story.passes = is_approved && lane.is_none();
                }
            }
            LoopEvent::BaseChecked { failures, .. } => {
                self.known_failures.retain(|known| known.fixed_by.is_some());
                let found = failures
                    .iter()
                    .map(|failure| KnownFailureView { failure: failure.clone(), fixed_by: None });
                self.known_failures.extend(found);
            }
            LoopEvent::EscalationEnded { story, help, cost_usd, solved } => {
                let (story, help) = (story.clone(), help.clone());
                let (cost_usd, solved) = (*cost_usd, *solved);
                self.stronger_help.push(StrongerHelpView { story, help, cost_usd, solved });
            }
            LoopEvent::KnownFailureFixed { story, command } => {
                let mut open = self.known_failures.iter_mut().filter(|it| it.fixed_by.is_none());
                if let Some(known) = open.find(|known| known.failure.command == *command) {
                    known.fixed_by = Some(story.clone());
                }
            }
            LoopEvent::StoryAdded { story } => self.add_story(story),
            LoopEvent::FinalReviewed(review) => self.final_reviews.push(review.clone()),
            LoopEvent::ReviewerVerdict(verdict) => self.reviewer_verdicts.push(verdict.clone()),
            LoopEvent::AttemptFailed(failed) => {
                self.track_mut(lane).in_vain = Some(failed.iteration);
                if let Some(story) = self.story_mut(&failed.story) {
                    story.failed_attempts = failed.attempt;
                }
            }
            LoopEvent::StoryMerged { story, .. } => {
                if let Some(story) = self.story_mut(story) {
                    story.passes = true;
                }
                self.done = self.stories.iter().filter(|story| story.passes).count() as u64;
            }
            LoopEvent::QuestionAsked { story, number, text, effect, .. } => {
                if let (Some(story), QuestionEffect::Waits) = (self.story_mut(story), effect) {
                    let (number, text) = (*number, text.clone());
                    story.question = Some(OpenQuestion { number, asked_at: at, text });
                }
            }
            LoopEvent::QuestionAnswered { story, .. } => {
                if let Some(story) = self.story_mut(story) {
                    story.question = None;
                }
            }
            LoopEvent::StoryGivenUp { story, given_up } => {
                if let Some(story) = self.story_mut(story) {
                    story.question = None;
                    story.failed_attempts = given_up.attempts;
                    story.given_up = Some(given_up.clone());
                }
            }
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
            LoopEvent::RunEnded(ended) => self.run_ended(at, ended),
            _ => {}
        }
    }

    fn session_ended(&mut self, cost_usd: Option<f64>) {
        self.has_cost = Some(cost_usd.is_some() || self.has_cost == Some(true));
    }

    fn iteration_ended(&mut self, lane: Option<u64>, ended: &IterationEnded) {
        let IterationEnded { iteration, story, status, cost_usd, .. } = ended;
        let in_vain = self.track_mut(lane).in_vain.take() == Some(*iteration);
        self.session_ended((*cost_usd > 0.0).then_some(*cost_usd));
        let (done, total_cost_usd) = self.totals_after(lane, ended);
        (self.done, self.cost_usd) = (done, total_cost_usd);
        let last = self.last_place_in(lane).and_then(|last| self.records.get_mut(last));
        if let Some(end) = last.and_then(|last| last.end.as_mut()) {
            (end.result.done, end.result.total_cost_usd) = (done, total_cost_usd);
        }
        let attempt_failed = status.is_failed_attempt();
        // A run that limits attempts emits an event for each.
        let tells_attempts = self.start.as_ref().is_some_and(|start| start.max_attempts.is_some());
        self.iterations = self.iterations.saturating_add(status.is_used_up().into());
        let is_accepted = *status == IterationStatus::Accepted;
        self.accepted = self.accepted.saturating_add(is_accepted.into());
        let left_nothing = *status == IterationStatus::NoProgress && in_vain;
        let is_void = *status == IterationStatus::Void;
        let has_failed = attempt_failed || left_nothing || is_void;
        self.failed = self.failed.saturating_add(has_failed.into());
        if let Some(story) = story.as_ref().and_then(|story| self.story_mut(story)) {
            story.cost_usd += cost_usd;
            let counts = attempt_failed && !tells_attempts;
            story.failed_attempts = story.failed_attempts.saturating_add(counts.into());
        }
    }

    /// Done stories and the cost of the run. An iteration of a lane knows only its own.
    pub(crate) fn totals_after(&self, lane: Option<u64>, ended: &IterationEnded) -> (u64, f64) {
        match lane {
            None => (ended.done, ended.total_cost_usd),
            Some(_) => (self.done, self.cost_usd + ended.cost_usd),
        }
    }

    /// The run's own count replaces the folded one.
    fn run_ended(&mut self, at: DateTime<Utc>, ended: &RunEnded) {
        self.rest = None;
        self.each_last_mut(|last| last.is_running = false);
        self.set_stories(&ended.stories);
        (self.iterations, self.accepted) = (ended.iterations, ended.accepted);
        (self.failed, self.cost_usd) = (ended.failed, ended.cost_usd);
        self.end = Some(EndView {
            at,
            end: ended.end,
            exit_code: ended.exit_code,
            text: ended.text.clone(),
            seconds: self.worked.seconds(),
            blocked: ended.blocked.clone(),
            waiting: ended.waiting.clone(),
        });
    }

    /// The story of a skip order that names none: that of the only running iteration.
    fn story_to_skip(&self, lane: Option<u64>) -> Option<StoryId> {
        let mut running = self.running();
        let only = running.next().filter(|_| running.next().is_none());
        self.iteration_in(lane).or(only)?.story.clone()
    }

    fn set_stories(&mut self, stories: &[StoryBrief]) {
        self.stories.clear();
        self.places.clear();
        stories.iter().for_each(|story| self.add_story(story));
        self.done = stories.iter().filter(|story| story.passes).count() as u64;
    }

    /// For duplicate ids, the first counts.
    fn add_story(&mut self, story: &StoryBrief) {
        self.places.entry(story.id.clone()).or_insert(self.stories.len());
        self.stories.push(story.clone());
    }

    fn story_mut(&mut self, id: &StoryId) -> Option<&mut StoryBrief> {
        self.stories.get_mut(*self.places.get(id)?)
    }
}

fn set<V>(values: &mut BTreeMap<StoryId, V>, story: &StoryId, value: Option<V>) {
    match value {
        Some(value) => values.insert(story.clone(), value),
        None => values.remove(story),
    };
}

#[cfg(test)]
mod tests;
