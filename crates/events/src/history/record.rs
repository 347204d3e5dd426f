//! One iteration from its start to its result.

use chrono::{DateTime, Utc};
use tasks::{ReviewStatus, StoryId};

use crate::working_time::seconds;
use crate::{
    AgentOutcome, CheckOutcome, ChecksOutcome, Gate, HookAnswerKind, IterationMode,
    IterationStatus, LoopEvent, TokenCount, ToolOutcome, Verdict, WeakenedTests,
};

#[derive(Debug, Clone, PartialEq)]
pub struct IterationRecord {
    pub number: u64,
    /// More than 1: a retry.
    pub attempt: u64,
    pub mode: IterationMode,
    /// `None` in a prompt loop.
    pub story: Option<StoryId>,
    pub title: String,
    pub model: Option<String>,
    /// Its folder, relative to the project.
    pub folder: String,
    /// The commit it started from; empty without git.
    pub checkpoint: String,
    pub started_at: DateTime<Utc>,
    pub agent: Option<AgentEnd>,
    /// The largest context size.
    pub context_peak: Option<u64>,
    pub context_window: Option<u64>,
    pub tool_calls: u64,
    pub tool_errors: u64,
    /// In the order they ran.
    pub checks: Vec<CheckRecord>,
    pub checks_say: Option<ChecksOutcome>,
    /// Status changes of stories that were not reverted.
    pub moves: Vec<StatusChange>,
    /// Of a review.
    pub verdict: Option<Verdict>,
    /// Why the verdict of a review is void.
    pub void_verdict: Option<String>,
    /// Why its stop was blocked, once for each time.
    pub blocked_stops: Vec<String>,
    pub undone: Option<RevertedChanges>,
    pub failed_attempt: Option<FailedAttempt>,
    pub weakened_tests: Vec<WeakenedTests>,
    pub rolled_back: Option<RolledBack>,
    /// Why a hook did not run.
    pub guard_missing: Vec<String>,
    /// The time of its last event, if its runner was killed. If the next runner judged it, it has an end too.
    pub cut_off_at: Option<DateTime<Utc>>,
    /// `None` while it runs, or if it was interrupted.
    pub end: Option<IterationEnd>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AgentEnd {
    pub outcome: AgentOutcome,
    /// A sentence, where the outcome alone is not enough.
    pub detail: String,
    /// `None` if the agent does not report it.
    pub cost_usd: Option<f64>,
    pub tokens: TokenCount,
    pub turns: Option<u64>,
    pub seconds: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CheckRecord {
    pub command: String,
    pub outcome: CheckOutcome,
    pub seconds: f64,
    /// The log file with the whole output, relative to the project.
    pub log: String,
    /// The last lines of a failed check's output.
    pub tail: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusChange {
    pub story: StoryId,
    pub from: ReviewStatus,
    pub to: ReviewStatus,
    pub reviews: u64,
    pub feedback: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevertedChanges {
    pub findings: Vec<String>,
    pub corrections: Vec<String>,
    pub commit: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAttempt {
    pub attempt: u64,
    pub of: u64,
    pub gate: Gate,
    pub error: String,
    /// How often this failure occurred in a row.
    pub repeats: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolledBack {
    pub to: String,
    /// The ref with its work; empty if there was none.
    pub backup: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct IterationEnd {
    pub at: DateTime<Utc>,
    pub status: IterationStatus,
    pub seconds: f64,
    pub agent_seconds: f64,
    pub check_seconds: f64,
    pub cost_usd: f64,
    /// Total of the run up to here.
    pub total_cost_usd: f64,
    /// Stories that were done then, and all stories.
    pub done: u64,
    pub stories: u64,
    /// HEAD after the iteration; `None` without git, or in logs of older versions.
    pub commit: Option<String>,
}

impl IterationRecord {
    /// `None` for an event that starts nothing.
    pub(super) fn begun(at: DateTime<Utc>, event: &LoopEvent) -> Option<Self> {
        let LoopEvent::IterationStarted {
            iteration,
            attempt,
            mode,
            story,
            title,
            model,
            session: _,
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
            folder: folder.clone(),
            checkpoint: checkpoint.clone(),
            started_at: at,
            agent: None,
            context_peak: None,
            context_window: None,
            tool_calls: 0,
            tool_errors: 0,
            checks: Vec::new(),
            checks_say: None,
            moves: Vec::new(),
            verdict: None,
            void_verdict: None,
            blocked_stops: Vec::new(),
            undone: None,
            failed_attempt: None,
            weakened_tests: Vec::new(),
            rolled_back: None,
            guard_missing: Vec::new(),
            cut_off_at: None,
            end: None,
        })
    }

    pub fn tokens(&self) -> TokenCount {
        self.agent.as_ref().map(|agent| agent.tokens).unwrap_or_default()
    }

    /// Its cost so far; `None` if its agent does not report it.
    pub fn cost(&self) -> Option<f64> {
        let of_agent = self.agent.as_ref().and_then(|agent| agent.cost_usd);
        let in_all = self.end.as_ref().map(|end| end.cost_usd).filter(|usd| *usd > 0.0);
        in_all.or(of_agent)
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

    /// Another runner was started.
    pub(super) fn cut_off(&mut self, last_seen: DateTime<Utc>) {
        if self.end.is_none() {
            self.cut_off_at.get_or_insert(last_seen);
        }
    }

    pub(super) fn apply(&mut self, at: DateTime<Utc>, event: &LoopEvent) {
        // Events after the end of an iteration name it.
        match event {
            LoopEvent::AttemptFailed { iteration, attempt, of, gate, error, repeats, .. }
                if *iteration == self.number =>
            {
                let (error, repeats) = (error.clone(), *repeats);
                let (attempt, of, gate) = (*attempt, *of, *gate);
                self.failed_attempt = Some(FailedAttempt { attempt, of, gate, error, repeats });
            }
            LoopEvent::RolledBack { iteration, to, backup, .. } if *iteration == self.number => {
                self.rolled_back = Some(RolledBack { to: to.clone(), backup: backup.clone() });
            }
            LoopEvent::TestsWeakened { iteration, files, .. } if *iteration == self.number => {
                self.weakened_tests.extend(files.iter().cloned());
            }
            _ if self.end.is_none() => self.apply_while_running(at, event),
            _ => {}
        }
    }

    fn apply_while_running(&mut self, at: DateTime<Utc>, event: &LoopEvent) {
        match event {
            LoopEvent::SessionStarted { model, .. } => self.model = Some(model.clone()),
            LoopEvent::ToolStarted { .. } => self.tool_calls += 1,
            LoopEvent::ToolEnded { outcome: ToolOutcome::Failed, .. } => self.tool_errors += 1,
            LoopEvent::Context { tokens, window } => {
                self.context_peak = self.context_peak.max(Some(*tokens));
                self.context_window = window.or(self.context_window);
            }
            LoopEvent::HookAnswered { answer: HookAnswerKind::Blocked, text, .. } => {
                self.blocked_stops.push(text.clone());
            }
            LoopEvent::HookMissing { why } => self.guard_missing.push(why.clone()),
            LoopEvent::AgentEnded { context_window, .. } => {
                self.context_window = context_window.or(self.context_window);
                self.agent = AgentEnd::of(event);
            }
            LoopEvent::CheckEnded { command, outcome, seconds, log, tail, .. } => {
                self.checks.push(CheckRecord {
                    command: command.clone(),
                    outcome: *outcome,
                    seconds: *seconds,
                    log: log.clone(),
                    tail: tail.clone(),
                });
            }
            LoopEvent::ChecksJudged { outcome, .. } => self.checks_say = Some(*outcome),
            LoopEvent::StoryStatusChanged { story, from, to, reviews, feedback, .. } => {
                if self.mode == IterationMode::Review {
                    self.verdict = Verdict::of(*to, feedback);
                }
                let (story, feedback) = (story.clone(), feedback.clone());
                let (from, to, reviews) = (*from, *to, *reviews);
                self.moves.push(StatusChange { story, from, to, reviews, feedback });
            }
            LoopEvent::VerdictVoid { text, .. } => self.void_verdict = Some(text.clone()),
            LoopEvent::ChangesReverted { findings, corrections, commit } => {
                self.undone = Some(RevertedChanges {
                    findings: findings.clone(),
                    corrections: corrections.clone(),
                    commit: commit.clone(),
                });
            }
            LoopEvent::IterationEnded { .. } => self.end = IterationEnd::of(at, event),
            _ => {}
        }
    }
}

impl AgentEnd {
    fn of(event: &LoopEvent) -> Option<Self> {
        let LoopEvent::AgentEnded { outcome, detail, cost_usd, tokens, turns, seconds, .. } = event
        else {
            return None;
        };
        Some(Self {
            outcome: *outcome,
            detail: detail.clone(),
            cost_usd: *cost_usd,
            tokens: *tokens,
            turns: *turns,
            seconds: *seconds,
        })
    }
}

impl IterationEnd {
    fn of(at: DateTime<Utc>, event: &LoopEvent) -> Option<Self> {
        let LoopEvent::IterationEnded {
            status,
            seconds,
            agent_seconds,
            check_seconds,
            cost_usd,
            total_cost_usd,
            done,
            stories,
            commit,
            ..
        } = event
        else {
            return None;
        };
        Some(Self {
            at,
            status: *status,
            seconds: *seconds,
            agent_seconds: *agent_seconds,
            check_seconds: *check_seconds,
            cost_usd: *cost_usd,
            total_cost_usd: *total_cost_usd,
            done: *done,
            stories: *stories,
            commit: commit.clone(),
        })
    }
}
