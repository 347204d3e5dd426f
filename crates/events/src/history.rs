//! The complete history of a run, iteration by iteration: the data of the dashboard and the HTML report.
//!
//! It contains a `RunView` and, unlike that, grows with the run: one record per iteration, without the agent's
//! messages.

mod record;
mod totals;

use chrono::{DateTime, Utc};
use tasks::StoryId;

pub use record::{
    AgentEnd, CheckRecord, FailedAttempt, IterationEnd, IterationRecord, RevertedChanges,
    RolledBack, StatusChange,
};
pub use totals::StoryTotals;

use crate::describe::alarm;
use crate::{Estimate, LoopEvent, QuotaState, Role, RunView, Stamped, TokenCount};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    pub view: RunView,
    /// All iterations, oldest first; a retried one occurs several times.
    pub iterations: Vec<IterationRecord>,
    /// What a person must not overlook, oldest first.
    pub alarms: Vec<(Role, String)>,
    /// Ended sessions outside iterations.
    pub others: Vec<OtherSession>,
    /// Of all ended sessions.
    pub tokens: TokenCount,
    pub quota: Option<Quota>,
    /// The estimate for the stories, from the start of the run.
    pub estimate: Option<Estimate>,
    /// Warnings, oldest first, with their time.
    pub warnings: Vec<(DateTime<Utc>, String)>,
    pub started: Option<DateTime<Utc>>,
    pub last_event: Option<DateTime<Utc>>,
    /// How often the run was started: more than once if it was resumed.
    pub starts: u64,
    /// Of the running session outside iterations.
    other_tokens: TokenCount,
}

#[derive(Debug, Clone, PartialEq)]
pub struct OtherSession {
    pub ended_at: DateTime<Utc>,
    pub kind: OtherKind,
    pub seconds: f64,
    pub cost_usd: f64,
    /// Total of the run up to here.
    pub total_cost_usd: f64,
    pub tokens: TokenCount,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OtherKind {
    /// A quality review of a story.
    Quality(StoryId),
    Compaction,
}

/// The usage of a quota window, as reported last.
#[derive(Debug, Clone, PartialEq)]
pub struct Quota {
    pub state: QuotaState,
    pub window: String,
    /// 1.0 is all of it.
    pub used: Option<f64>,
    pub resets_at: Option<DateTime<Utc>>,
}

impl History {
    pub fn of<'e>(events: impl IntoIterator<Item = &'e Stamped>) -> Self {
        let mut history = Self::default();
        events.into_iter().for_each(|stamped| history.apply(stamped));
        history
    }

    pub fn apply(&mut self, stamped: &Stamped) {
        let (at, event) = (stamped.at, &stamped.event);
        self.started.get_or_insert(at);
        if let (LoopEvent::RunStarted { .. }, Some(record)) = (event, self.iterations.last_mut()) {
            record.cut_off(self.last_event.unwrap_or(at));
        }
        self.last_event = Some(at);
        self.alarms.extend(alarm(stamped, &self.view));
        self.apply_to_iterations(at, event);
        self.apply_to_run(at, event);
        self.view.apply(stamped);
    }

    /// The running iteration.
    pub fn running(&self) -> Option<&IterationRecord> {
        self.iterations.last().filter(|last| last.end.is_none() && self.view.iteration.is_some())
    }

    /// The iterations of a story, oldest first.
    pub fn iterations_of<'h>(
        &'h self,
        story: &'h StoryId,
    ) -> impl Iterator<Item = &'h IterationRecord> {
        self.iterations.iter().filter(move |record| record.story.as_ref() == Some(story))
    }

    fn apply_to_iterations(&mut self, at: DateTime<Utc>, event: &LoopEvent) {
        if let Some(begun) = IterationRecord::begun(at, event) {
            self.iterations.push(begun);
        } else if let Some(record) = self.iterations.last_mut() {
            // Events after the end of an iteration still belong to it: its rollback, a failed attempt.
            record.apply(at, event);
        }
    }

    fn apply_to_run(&mut self, at: DateTime<Utc>, event: &LoopEvent) {
        match event {
            LoopEvent::RunStarted { .. } => self.starts += 1,
            LoopEvent::RunEstimated { estimate } => self.estimate = Some(estimate.clone()),
            LoopEvent::Warning { text } => self.warnings.push((at, text.clone())),
            LoopEvent::AgentEnded { tokens, .. } => {
                self.tokens.add(*tokens);
                if self.view.iteration.is_none() {
                    self.other_tokens.add(*tokens);
                }
            }
            LoopEvent::QualityChecked { story, seconds, cost_usd, .. } => {
                self.other_ended(at, OtherKind::Quality(story.clone()), *seconds, *cost_usd);
            }
            LoopEvent::CompactionEnded { seconds, cost_usd, .. } => {
                self.other_ended(at, OtherKind::Compaction, *seconds, *cost_usd);
            }
            LoopEvent::Quota { state, window, used, resets_at } => {
                let (window, used) = (window.clone(), *used);
                self.quota = Some(Quota { state: *state, window, used, resets_at: *resets_at });
            }
            _ => {}
        }
    }

    fn other_ended(&mut self, at: DateTime<Utc>, kind: OtherKind, seconds: f64, cost_usd: f64) {
        let tokens = std::mem::take(&mut self.other_tokens);
        let total_cost_usd = self.view.spent_usd() + cost_usd;
        self.others.push(OtherSession {
            ended_at: at,
            kind,
            seconds,
            cost_usd,
            total_cost_usd,
            tokens,
        });
    }
}

#[cfg(test)]
mod tests;
