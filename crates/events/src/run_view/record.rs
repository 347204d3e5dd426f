//! One iteration from its start to its result. The JSON form of the running one has only the fields of its session.

use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};
use tasks::{ReviewStatus, StoryId};

use super::attempts::FailedAttempt;
use super::iteration::{CheckView, TodoView, Verdict};
use super::tool_calls::ToolCalls;
use crate::working_time::seconds;
use crate::{
    AgentOutcome, CheckRecord, HookAnswerKind, IterationMode, IterationStatus, LoopEvent,
    RevertedChanges, RolledBack, TokenCount, WeakenedTests,
};

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IterationRecord {
    pub number: u64,
    /// More than 1: a retry.
    pub attempt: u64,
    pub mode: IterationMode,
    /// `None` in a prompt loop.
    pub story: Option<StoryId>,
    pub title: String,
    pub model: Option<String>,
    pub session: String,
    /// Its folder, relative to the project.
    pub folder: String,
    pub started_at: DateTime<Utc>,
    pub context_tokens: Option<u64>,
    pub context_window: Option<u64>,
    /// Text messages of the agent.
    pub messages: u64,
    pub turns: Option<u64>,
    /// Of its session; `None` if the agent does not report it.
    #[serde(serialize_with = "or_zero")]
    pub cost_usd: Option<f64>,
    #[serde(flatten)]
    pub calls: ToolCalls,
    pub todo: Option<TodoView>,
    pub gate: Option<CheckView>,
    #[serde(skip)]
    pub(super) is_running: bool,
    /// The commit it started from; empty without git.
    #[serde(skip)]
    pub checkpoint: String,
    #[serde(skip)]
    pub agent: Option<AgentEnd>,
    #[serde(skip)]
    pub tokens: TokenCount,
    /// The largest context size.
    #[serde(skip)]
    pub context_peak: Option<u64>,
    /// In the order they ran.
    #[serde(skip)]
    pub checks: Vec<CheckRecord>,
    /// Status changes of stories that were not reverted.
    #[serde(skip)]
    pub moves: Vec<StatusChange>,
    /// Of a review.
    #[serde(skip)]
    pub verdict: Option<Verdict>,
    /// Why the verdict of a review is void.
    #[serde(skip)]
    pub void_verdict: Option<String>,
    /// Why the runner rejected the agent's claim of completion.
    #[serde(skip)]
    pub refused_claim: Option<String>,
    /// Why its stop was blocked, once for each time.
    #[serde(skip)]
    pub blocked_stops: Vec<String>,
    #[serde(skip)]
    pub undone: Option<RevertedChanges>,
    #[serde(skip)]
    pub failed_attempt: Option<FailedAttempt>,
    #[serde(skip)]
    pub weakened_tests: Vec<WeakenedTests>,
    #[serde(skip)]
    pub rolled_back: Option<RolledBack>,
    /// Why a hook did not run.
    #[serde(skip)]
    pub guard_missing: Vec<String>,
    /// The time of its last event, if its runner was killed. If the next runner judged it, it has an end too.
    #[serde(skip)]
    pub cut_off_at: Option<DateTime<Utc>>,
    /// `None` while it runs, or if it was interrupted.
    #[serde(skip)]
    pub end: Option<IterationEnd>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AgentEnd {
    pub outcome: AgentOutcome,
    /// A sentence, where the outcome alone is not enough.
    pub detail: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusChange {
    pub to: ReviewStatus,
    pub feedback: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct IterationEnd {
    pub at: DateTime<Utc>,
    pub status: IterationStatus,
    pub seconds: f64,
    pub cost_usd: f64,
    /// Total of the run up to here.
    pub total_cost_usd: f64,
    /// HEAD after it.
    pub commit: Option<String>,
}

/// The running iteration, which is always the last.
pub(super) fn running(records: &[IterationRecord]) -> Option<&IterationRecord> {
    records.last().filter(|last| last.is_running)
}

pub(super) fn serialize_running<S: Serializer>(
    records: &[IterationRecord],
    to: S,
) -> Result<S::Ok, S::Error> {
    running(records).serialize(to)
}

fn or_zero<S: Serializer>(usd: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(usd.unwrap_or_default())
}

impl IterationRecord {
    /// `None` for an event that starts no iteration.
    pub(super) fn begun(at: DateTime<Utc>, event: &LoopEvent) -> Option<Self> {
        let LoopEvent::IterationStarted {
            iteration,
            attempt,
            mode,
            story,
            title,
            model,
            session,
            folder,
            checkpoint,
        } = event
        else {
            return None;
        };
        Some(Self {
            number: *iteration,
            attempt: *attempt,
            mode: *mode,
            story: story.clone(),
            title: title.clone(),
            model: model.clone(),
            session: session.clone(),
            folder: folder.clone(),
            started_at: at,
            is_running: true,
            checkpoint: checkpoint.clone(),
            ..Self::default()
        })
    }

    /// Its cost so far; `None` if its agent does not report it.
    pub fn cost(&self) -> Option<f64> {
        let in_all = self.end.as_ref().map(|end| end.cost_usd).filter(|usd| *usd > 0.0);
        in_all.or(self.cost_usd)
    }

    pub fn is_over(&self) -> bool {
        self.end.is_some()
    }

    pub fn ended_at(&self) -> Option<DateTime<Utc>> {
        self.cut_off_at.or(self.end.as_ref().map(|end| end.at))
    }

    /// Its duration; `None` while it runs.
    pub fn seconds(&self) -> Option<f64> {
        let cut_off = self.cut_off_at.map(|at| seconds(self.started_at, at));
        cut_off.or(self.end.as_ref().map(|end| end.seconds))
    }

    /// The story with its title; in a prompt loop, the source of the prompt.
    pub fn subject(&self) -> String {
        match &self.story {
            Some(story) => format!("{story} {}", self.title),
            None => self.title.clone(),
        }
    }

    /// Another runner was started.
    pub(super) fn cut_off(&mut self, last_seen: DateTime<Utc>) {
        if self.end.is_none() {
            self.cut_off_at.get_or_insert(last_seen);
            self.is_running = false;
        }
    }

    pub(super) fn apply(&mut self, at: DateTime<Utc>, event: &LoopEvent) {
        if self.end.is_some() {
            return;
        }
        self.calls.apply(event);
        match event {
            LoopEvent::SessionStarted { model, .. } => self.model = Some(model.clone()),
            LoopEvent::AgentText { .. } => self.messages += 1,
            LoopEvent::Todo { items } => self.todo = Some(TodoView::of(items)),
            LoopEvent::Context { tokens, window } => {
                self.context_tokens = Some(*tokens);
                self.context_peak = self.context_peak.max(Some(*tokens));
                self.context_window = window.or(self.context_window);
            }
            LoopEvent::Compacted { tokens_after } => self.context_tokens = *tokens_after,
            LoopEvent::HookAnswered { answer: HookAnswerKind::Blocked, text, .. } => {
                self.blocked_stops.push(text.clone());
            }
            LoopEvent::HookMissing { why } => self.guard_missing.push(why.clone()),
            LoopEvent::AgentEnded {
                outcome,
                detail,
                cost_usd,
                tokens,
                turns,
                context_window,
                ..
            } => {
                let before = self.cost_usd.unwrap_or_default();
                self.cost_usd = cost_usd.map(|usd| before + usd).or(self.cost_usd);
                self.context_window = context_window.or(self.context_window);
                self.agent = Some(AgentEnd { outcome: *outcome, detail: detail.clone() });
                (self.tokens, self.turns, self.todo) = (*tokens, *turns, None);
            }
            LoopEvent::CheckStarted { command, number, of } => {
                let (command, number, of) = (command.clone(), *number, *of);
                self.gate = Some(CheckView { command, number, of, started_at: at });
            }
            LoopEvent::CheckEnded(check) => {
                self.gate = None;
                self.checks.push(check.clone());
            }
            LoopEvent::CompletionClaimed { accepted: false, why: Some(why), .. } => {
                self.refused_claim = Some(why.clone());
            }
            LoopEvent::StoryStatusChanged { to, feedback, .. } => {
                if self.mode == IterationMode::Review {
                    self.verdict = Verdict::of(*to, feedback);
                }
                self.moves.push(StatusChange { to: *to, feedback: feedback.clone() });
            }
            LoopEvent::VerdictVoid { text, .. } => self.void_verdict = Some(text.clone()),
            LoopEvent::ChangesReverted(reverted) => self.undone = Some(reverted.clone()),
            LoopEvent::IterationEnded {
                status, seconds, cost_usd, total_cost_usd, commit, ..
            } => {
                self.is_running = false;
                self.end = Some(IterationEnd {
                    at,
                    status: *status,
                    seconds: *seconds,
                    cost_usd: *cost_usd,
                    total_cost_usd: *total_cost_usd,
                    commit: commit.clone(),
                });
            }
            LoopEvent::RunEnded { .. } => self.is_running = false,
            _ => {}
        }
    }
}
