//! Handoffs, compactions, plan changes and rollbacks of a run.

use events::{CompactionOutcome, HandoffSource, LoopEvent};
use serde::Serialize;
use tasks::StoryId;

use super::shell::quoted;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryReport {
    pub handoffs: Handoffs,
    pub compactions: Compactions,
    pub plan_changes: Vec<PlanChange>,
    pub rollbacks: Vec<Rollback>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Handoffs {
    pub kept: u64,
    /// Iterations whose agent wrote no valid handoff.
    pub by_runner: Vec<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Compactions {
    pub done: u64,
    /// The reasons of failed compactions.
    pub failures: Vec<String>,
    /// With failed ones; 0 if the agent reports no cost.
    pub cost_usd: f64,
}

/// A plan change that a handoff requested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanChange {
    pub iteration: u64,
    pub outcome: PlanOutcome,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanOutcome {
    Applied,
    Refused,
}

/// A failed iteration that was rolled back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rollback {
    pub iteration: u64,
    pub story: StoryId,
    /// The commit that was restored.
    pub to: String,
    /// The ref with its changes; empty if it had none.
    pub backup: String,
    pub removed: u64,
    pub restored: u64,
    /// Paths that could not be restored, with reasons.
    pub left: Vec<String>,
    /// Shell command that shows its changes.
    pub command: Option<String>,
}

impl MemoryReport {
    pub(super) fn apply(&mut self, event: &LoopEvent) {
        match event {
            LoopEvent::HandoffSaved { iteration, source, .. } => {
                self.handoffs.keep(*iteration, *source);
            }
            LoopEvent::CompactionEnded { outcome, text, cost_usd, .. } => {
                self.compactions.cost_usd += cost_usd;
                match outcome {
                    CompactionOutcome::Compacted => self.compactions.done += 1,
                    CompactionOutcome::Failed => self.compactions.failures.push(text.clone()),
                    CompactionOutcome::Stopped => {}
                }
            }
            LoopEvent::PlanAmended { iteration, applied, refused } => {
                let change = |outcome| {
                    move |text: &String| PlanChange {
                        iteration: *iteration,
                        outcome,
                        text: text.clone(),
                    }
                };
                self.plan_changes.extend(applied.iter().map(change(PlanOutcome::Applied)));
                self.plan_changes.extend(refused.iter().map(change(PlanOutcome::Refused)));
            }
            // A runner that resumes after a kill rolls back again, without changes to back up.
            LoopEvent::RolledBack { iteration, backup, .. }
                if backup.is_empty()
                    && self.rollbacks.last().is_some_and(|last| last.iteration == *iteration) => {}
            LoopEvent::RolledBack { .. } => self.rollbacks.extend(Rollback::of(event)),
            _ => {}
        }
    }
}

impl Handoffs {
    fn keep(&mut self, iteration: u64, source: HandoffSource) {
        self.kept += 1;
        if source == HandoffSource::Runner {
            self.by_runner.push(iteration);
        }
    }
}

impl Rollback {
    /// `None` for any other event.
    fn of(event: &LoopEvent) -> Option<Self> {
        let LoopEvent::RolledBack { iteration, story, to, backup, removed, restored, left } = event
        else {
            return None;
        };
        let command = format!("git diff {} {}", quoted(to), quoted(backup));
        Some(Self {
            iteration: *iteration,
            story: story.clone(),
            to: to.clone(),
            command: (!backup.is_empty()).then_some(command),
            backup: backup.clone(),
            removed: *removed,
            restored: *restored,
            left: left.clone(),
        })
    }
}
