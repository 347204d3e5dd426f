//! What iterations left for one another in a run, and what was undone whole.

use engine::{CompactionOutcome, HandoffSource, LoopEvent};
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
    /// Iterations whose agent gave none that is of use.
    pub by_runner: Vec<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Compactions {
    pub done: u64,
    /// Why, of those that failed.
    pub failures: Vec<String>,
    /// Failed ones included; 0 where the agent does not tell it.
    pub cost_usd: f64,
}

/// What became of a change to the plan that a handoff asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanChange {
    pub iteration: u64,
    pub outcome: PlanOutcome,
    /// In a line.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanOutcome {
    Applied,
    Refused,
}

/// A failed iteration that left no trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rollback {
    pub iteration: u64,
    pub story: StoryId,
    /// The commit that everything is again as in.
    pub to: String,
    /// The ref that holds what it left; empty if that was nothing.
    pub backup: String,
    pub removed: u64,
    pub restored: u64,
    /// What could not be brought back, each with the reason.
    pub left: Vec<String>,
    /// For a shell: shows what it left.
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
            // A runner that goes on after a kill does it again, and finds nothing to keep.
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
    /// `None` of any other event.
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
