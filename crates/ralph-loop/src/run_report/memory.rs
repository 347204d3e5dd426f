//! Handoffs, compactions, plan changes and rollbacks of a run.

use events::{Handoffs, OtherKind, PlanChange, RolledBack, RunView};
use serde::Serialize;

use super::shell::quoted;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryReport {
    pub handoffs: Handoffs,
    pub compactions: Compactions,
    pub plan_changes: Vec<PlanChange>,
    pub rollbacks: Vec<Rollback>,
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

/// A failed iteration that was rolled back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rollback {
    #[serde(flatten)]
    pub rolled_back: RolledBack,
    /// Shell command that shows its changes.
    pub command: Option<String>,
}

impl MemoryReport {
    pub(super) fn of(view: &RunView) -> Self {
        let memory = view.memory.clone().unwrap_or_default();
        let compactions = view.others.iter().filter(|other| other.kind == OtherKind::Compaction);
        Self {
            handoffs: memory.handoffs,
            compactions: Compactions {
                done: memory.compactions,
                failures: memory.failures,
                cost_usd: compactions.fold(0.0, |usd, session| usd + session.cost_usd),
            },
            plan_changes: view.plan_changes.clone(),
            rollbacks: view.failures.rollbacks.iter().map(Rollback::of).collect(),
        }
    }
}

impl Rollback {
    fn of(rolled_back: &RolledBack) -> Self {
        Self { command: show_command(rolled_back), rolled_back: rolled_back.clone() }
    }
}

/// `None` without changes to show.
pub(super) fn show_command(RolledBack { to, backup, .. }: &RolledBack) -> Option<String> {
    (!backup.is_empty()).then(|| format!("git diff {} {}", quoted(to), quoted(backup)))
}
