//! One iteration from its start to its result. The JSON form of the running one has only the fields of its session.

use chrono::{DateTime, Utc};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use tasks::{ReviewStatus, StoryId};

use super::attempts::FailedAttempt;
use super::iteration::{CheckView, TodoView, Verdict};
use super::job::JobView;
use super::tool_calls::ToolCalls;
use crate::working_time::seconds;
use crate::{
    AgentEnded, CheckRecord, HookAnswerKind, IterationEnded, IterationMode, IterationStarted,
    LoopEvent, RevertedChanges, RolledBack, TokenCount, WeakenedTests,
};

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IterationRecord {
    pub number: u64,
    /// More than 1: a retry.
    pub attempt: u64,
    pub mode: IterationMode,
    /// `None` in a run without lanes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<u64>,
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
    /// Of its session; `None` if that runs on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<JobView>,
    /// The jobs that ran its checks.
    pub check_jobs: Vec<JobView>,
    #[serde(skip)]
    pub(super) is_running: bool,
    /// The commit it started from; empty without git.
    #[serde(skip)]
    pub checkpoint: String,
    #[serde(skip)]
    pub agent: Option<AgentEnded>,
    /// For example `codex`; `None` until it is called.
    #[serde(skip)]
    pub agent_name: Option<String>,
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusChange {
    pub to: ReviewStatus,
    pub feedback: String,
}

#[derive(Debug, Clone, PartialEq, derive_more::Deref)]
pub struct IterationEnd {
    pub at: DateTime<Utc>,
    #[deref]
    pub result: IterationEnded,
}

/// `iteration` of a run without lanes, and `running` of one with lanes.
pub(super) fn serialize_running<S: Serializer>(
    records: &[IterationRecord],
    to: S,
) -> Result<S::Ok, S::Error> {
    let (in_lanes, mut alone): (Vec<_>, Vec<_>) =
        records.iter().filter(|record| record.is_running).partition(|one| one.lane.is_some());
    let mut map = to.serialize_map(None)?;
    map.serialize_entry("iteration", &alone.pop())?;
    if !in_lanes.is_empty() {
        map.serialize_entry("running", &in_lanes)?;
    }
    map.end()
}

fn or_zero<S: Serializer>(usd: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(usd.unwrap_or_default())
}

impl IterationRecord {
    /// Where its session and checks ran on other machines, and how long they waited; empty if all ran here.
    pub fn jobs_summary(&self) -> String {
        let session = self.job.iter().map(JobView::summary);
        let checks = self.check_jobs.iter().map(|job| format!("checks {}", job.summary()));
        session.chain(checks).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
    }

    pub(super) fn begun(at: DateTime<Utc>, lane: Option<u64>, started: &IterationStarted) -> Self {
        Self {
            lane,
            number: started.iteration,
            attempt: started.attempt,
            mode: started.mode,
            story: started.story.clone(),
            title: started.title.clone(),
            model: started.model.clone(),
            session: started.session.clone(),
            folder: started.folder.clone(),
            started_at: at,
            is_running: true,
            checkpoint: started.checkpoint.clone(),
            ..Self::default()
        }
    }

    /// Its cost so far; `None` if its agent does not report it.
    pub fn cost(&self) -> Option<f64> {
        let in_all = self.end.as_ref().map(|end| end.cost_usd).filter(|usd| *usd > 0.0);
        in_all.or(self.cost_usd)
    }

    pub fn is_review(&self) -> bool {
        self.mode == IterationMode::Review
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
        JobView::apply(&mut self.job, &mut self.check_jobs, at, event);
        match event {
            LoopEvent::AgentCalled { agent, .. } => {
                self.agent_name.get_or_insert_with(|| agent.clone());
            }
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
            LoopEvent::AgentEnded(ended) => {
                let before = self.cost_usd.unwrap_or_default();
                self.cost_usd = ended.cost_usd.map(|usd| before + usd).or(self.cost_usd);
                self.context_window = ended.context_window.or(self.context_window);
                (self.tokens, self.turns, self.todo) = (ended.tokens, ended.turns, None);
                self.agent = Some(ended.clone());
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
                if self.is_review() {
                    self.verdict = Verdict::of(*to, feedback);
                }
                self.moves.push(StatusChange { to: *to, feedback: feedback.clone() });
            }
            LoopEvent::VerdictVoid { text, .. } => self.void_verdict = Some(text.clone()),
            LoopEvent::ChangesReverted(reverted) => self.undone = Some(reverted.clone()),
            LoopEvent::IterationEnded(ended) => {
                self.is_running = false;
                self.end = Some(IterationEnd { at, result: ended.clone() });
            }
            _ => {}
        }
    }
}
