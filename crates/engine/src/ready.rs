//! What has to be true of any run before it begins.

use agents::Ability;

use crate::RunError;
use crate::options::{AgentOptions, RunOptions};

/// A ceiling on the cost needs an agent that tells its cost: otherwise a run would go past it
/// without anybody knowing.
pub(crate) fn refuse_ceiling_nobody_can_keep(
    run: &RunOptions,
    others: &[Option<&AgentOptions>],
) -> Result<(), RunError> {
    let Some(most) = run.policy.max_cost_usd else { return Ok(()) };
    let silent = others
        .iter()
        .copied()
        .chain([Some(&run.agent)])
        .flatten()
        .find(|options| options.agent.abilities().cost == Ability::No);
    let Some(silent) = silent else { return Ok(()) };
    Err(RunError::precondition(
        format!(
            "{} does not tell what it costs, so nobody can keep the ceiling of ${most:.2}",
            silent.agent
        ),
        "leave out the ceiling (--max-cost-usd; maxCostUsd in the settings, null in \
         settings.local.json), and bound the run by its iterations",
    ))
}
