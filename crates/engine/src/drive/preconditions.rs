//! Preconditions of every run.

use agents::Abilities;

use crate::RunError;
use crate::options::{AgentOptions, RunOptions};

/// A limit needs agents that report the figure: otherwise a run would exceed it unnoticed.
pub(crate) fn require_reported_limits<'o>(
    run: &RunOptions,
    agents: impl Iterator<Item = &'o AgentOptions> + Clone,
) -> Result<(), RunError> {
    let silent = |reports: fn(Abilities) -> bool| {
        agents.clone().find(|options| !reports(options.abilities())).map(AgentOptions::name)
    };
    if let (Some(most), Some(agent)) = (run.policy.max_cost_usd, silent(|can| can.cost)) {
        return Err(RunError::precondition(
            format!(
                "agent {agent} reports no cost, so --max-cost-usd {most:.2} cannot be enforced"
            ),
            "remove the limit (--max-cost-usd; maxCostUsd in the settings, null in \
             settings.local.json), and limit the iterations with -n",
        ));
    }
    if let (Some(_), Some(agent)) = (run.policy.max_quota, silent(|can| can.quota)) {
        return Err(RunError::precondition(
            format!("agent {agent} reports no quota, so --max-quota cannot be enforced"),
            "remove the limit (--max-quota; maxQuotaPercent in the settings, null in \
             settings.local.json), and limit the iterations with -n",
        ));
    }
    Ok(())
}
