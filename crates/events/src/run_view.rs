//! The current state of a run after some of its events: a fold shared by the reporters and `status`.
//!
//! It keeps only what a table, a status line or a summary needs, so that its size does not grow with the log.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use isolation::Isolation;
use project::orders::Order;
use serde::Serialize;
use tasks::{ReviewStatus, StoryId};

use crate::describe::activity;
use crate::{
    IterationStatus, LoopEvent, QuotaState, Role, RunEnd, Stamped, StoryBrief, WaitReason,
    WaitingStory, WorkingTime,
};

mod iteration;
mod memory;
mod pending_orders;
mod start;
mod tool_calls;

pub use iteration::{Activity, CheckView, IterationView, TodoView, Verdict};
pub use memory::compacting;
pub use memory::{CompactionView, HandoffView, MemoryView, PromptView};
pub use pending_orders::{Pause, PendingOrders};
pub use start::StartView;
pub use tool_calls::{ToolCalls, ToolView};

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
    /// Done stories, as the run counted last.
    pub done: u64,
    /// The running iteration.
    pub iteration: Option<IterationView>,
    /// Of the running session between two iterations.
    #[serde(skip)]
    between: ToolCalls,
    /// Ended iterations; a retried one counts once.
    pub iterations: u64,
    pub accepted: u64,
    pub failed: u64,
    /// The last iteration that was reported as a failed attempt.
    #[serde(skip)]
    pub in_vain: Option<u64>,
    /// Of ended iterations.
    pub cost_usd: f64,
    #[serde(skip)]
    reported: CostReport,
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
}

/// Whether ended sessions reported their cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum CostReport {
    #[default]
    NoSession,
    Never,
    Cost,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitView {
    pub reason: WaitReason,
    pub text: String,
    pub until: DateTime<Utc>,
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
    pub fn apply(&mut self, stamped: &Stamped) {
        let at = stamped.at;
        self.id.clone_from(&stamped.run);
        if let Some(text) = activity(stamped, self) {
            self.last_activity = Some(Activity { at, text: iteration::first_line(&text) });
        }
        match &mut self.iteration {
            Some(iteration) => iteration.apply(at, &stamped.event),
            None => self.between.apply(&stamped.event),
        }
        memory::apply(&mut self.memory, at, &stamped.event);
        let running = self.iteration.as_ref().and_then(|iteration| iteration.story.as_ref());
        self.pending_orders.apply(at, &stamped.event, running);
        self.worked.apply(at, &stamped.event);
        self.apply_to_run(at, &stamped.event);
    }

    /// Of the running session, in an iteration or between two.
    pub fn calls(&self) -> &ToolCalls {
        self.iteration.as_ref().map_or(&self.between, |iteration| &iteration.calls)
    }

    /// The running session that compacts handoffs.
    pub fn compaction(&self) -> Option<CompactionView> {
        self.memory.as_ref()?.compaction
    }

    /// The cost so far, including the running iteration.
    pub fn spent_usd(&self) -> f64 {
        self.cost_usd + self.iteration.as_ref().map_or(0.0, |iteration| iteration.cost_usd)
    }

    /// The same; `None` if no agent of the run reports its cost.
    pub fn cost(&self) -> Option<f64> {
        let spent = self.spent_usd();
        (self.reported != CostReport::Never || spent > 0.0).then_some(spent)
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
        (failed > 0).then(|| (Role::Warn, format!("attempt {}/{of}", failed + 1)))
    }

    fn apply_to_run(&mut self, at: DateTime<Utc>, event: &LoopEvent) {
        match event {
            LoopEvent::RunStarted { stories, resumed, .. } => {
                self.start = StartView::of(at, event);
                self.isolation.clear();
                self.set_stories(stories);
                // A resumed run is not over, and is not asked to stop.
                (self.end, self.iteration, self.rest, self.stopping) = (None, None, None, false);
                self.quality_of = None;
                if let Some(resumed) = resumed {
                    self.iterations = resumed.iterations;
                    self.cost_usd = resumed.cost_usd;
                }
            }
            LoopEvent::IsolationChosen { agent, isolation, .. } => {
                self.isolation.insert(agent.clone(), *isolation);
            }
            LoopEvent::IterationStarted { .. } => {
                self.iteration = IterationView::started(at, event);
                self.rest = None;
            }
            LoopEvent::IterationEnded { .. } => self.iteration_ended(event),
            LoopEvent::StoryStatusChanged { story, to, reviews, feedback, passes, .. } => {
                match Verdict::of(*to, feedback) {
                    Some(verdict) => self.verdicts.insert(story.clone(), verdict),
                    None => self.verdicts.remove(story),
                };
                if let Some(story) = self.story_mut(story) {
                    story.review_status = *to;
                    story.review_count = *reviews;
                    story.passes = *passes || *to == ReviewStatus::Approved;
                }
            }
            LoopEvent::StoryAdded { story } => self.add_story(story),
            LoopEvent::AttemptFailed { story, attempt, iteration, .. } => {
                self.in_vain = Some(*iteration);
                if let Some(story) = self.story_mut(story) {
                    story.failed_attempts = *attempt;
                }
            }
            LoopEvent::StoryGivenUp { story, given_up } => {
                if let Some(story) = self.story_mut(story) {
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
            LoopEvent::AgentEnded { turns, cost_usd, .. } => {
                self.session_ended(*cost_usd);
                self.turns = self.turns.saturating_add(turns.unwrap_or_default());
            }
            LoopEvent::CompactionStarted { .. } => self.rest = None,
            LoopEvent::CompactionEnded { cost_usd, .. } => self.cost_usd += cost_usd,
            LoopEvent::Waiting { reason, text, until } => {
                self.rest = Some(WaitView { reason: *reason, text: text.clone(), until: *until });
            }
            LoopEvent::StopRequested { .. } | LoopEvent::OrderAccepted { order: Order::Stop } => {
                self.stopping = true;
            }
            LoopEvent::Warning { .. }
            | LoopEvent::LogAltered { .. }
            | LoopEvent::OrderRefused { .. }
            | LoopEvent::HookMissing { .. }
            | LoopEvent::TestsWeakened { .. }
            | LoopEvent::VerdictVoid { .. }
            | LoopEvent::TimeWarning { .. }
            | LoopEvent::Quota { state: QuotaState::Warning | QuotaState::Rejected, .. } => {
                self.warnings += 1;
            }
            LoopEvent::RunEnded { .. } => self.run_ended(at, event),
            _ => {}
        }
    }

    fn session_ended(&mut self, cost_usd: Option<f64>) {
        self.reported = match (cost_usd, self.reported) {
            (Some(_), _) | (_, CostReport::Cost) => CostReport::Cost,
            (None, CostReport::NoSession | CostReport::Never) => CostReport::Never,
        };
    }

    fn iteration_ended(&mut self, event: &LoopEvent) {
        let LoopEvent::IterationEnded {
            iteration,
            story,
            status,
            cost_usd,
            total_cost_usd,
            done,
            ..
        } = event
        else {
            return;
        };
        let in_vain = self.in_vain.take() == Some(*iteration);
        self.iteration = None;
        self.session_ended((*cost_usd > 0.0).then_some(*cost_usd));
        self.cost_usd = *total_cost_usd;
        self.done = *done;
        let attempt_failed = status.is_failed_attempt();
        // A run that limits attempts emits an event for each.
        let tells_attempts = self.start.as_ref().is_some_and(|start| start.max_attempts.is_some());
        self.iterations += u64::from(status.is_used_up());
        self.accepted += u64::from(*status == IterationStatus::Accepted);
        let left_nothing = *status == IterationStatus::NoProgress && in_vain;
        let is_void = *status == IterationStatus::Void;
        self.failed += u64::from(attempt_failed || left_nothing || is_void);
        if let Some(story) = story.as_ref().and_then(|story| self.story_mut(story)) {
            story.cost_usd += cost_usd;
            story.failed_attempts += u64::from(attempt_failed && !tells_attempts);
        }
    }

    /// The run's own count replaces the folded one.
    fn run_ended(&mut self, at: DateTime<Utc>, event: &LoopEvent) {
        let LoopEvent::RunEnded {
            end,
            exit_code,
            text,
            iterations,
            accepted,
            failed,
            seconds: _,
            cost_usd,
            stories,
            blocked,
            waiting,
        } = event
        else {
            return;
        };
        self.iteration = None;
        self.rest = None;
        self.set_stories(stories);
        (self.iterations, self.accepted, self.failed) = (*iterations, *accepted, *failed);
        self.cost_usd = *cost_usd;
        self.end = Some(EndView {
            at,
            end: *end,
            exit_code: *exit_code,
            text: text.clone(),
            seconds: self.worked.seconds(),
            blocked: blocked.clone(),
            waiting: waiting.clone(),
        });
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

#[cfg(test)]
mod tests;
