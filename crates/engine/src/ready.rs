//! What has to be true of any run before it begins.

use agents::Abilities;

use crate::RunError;
use crate::options::{AgentOptions, RunOptions};

/// A ceiling needs agents that report what it is about: otherwise a run would go past it unnoticed.
pub(crate) fn refuse_ceiling_nobody_can_keep(
    run: &RunOptions,
    others: &[Option<&AgentOptions>],
) -> Result<(), RunError> {
    let silent = |reports: fn(Abilities) -> bool| {
        let all = others.iter().copied().flatten().chain([&run.agent]);
        all.into_iter().find(|options| !reports(options.abilities())).map(AgentOptions::name)
    };
    if let (Some(most), Some(agent)) = (run.policy.max_cost_usd, silent(|can| can.cost)) {
        return Err(RunError::precondition(
            format!(
                "agent {agent} reports no cost, so --max-cost-usd {most:.2} cannot be enforced"
            ),
            "leave out the ceiling (--max-cost-usd; maxCostUsd in the settings, null in \
             settings.local.json), and limit the iterations with -n",
        ));
    }
    if let (Some(_), Some(agent)) = (run.policy.max_quota, silent(|can| can.quota)) {
        return Err(RunError::precondition(
            format!("agent {agent} reports no quota, so --max-quota cannot be enforced"),
            "leave out the ceiling (--max-quota; maxQuotaPercent in the settings, null in \
             settings.local.json), and limit the iterations with -n",
        ));
    }
    Ok(())
}
