//! How often a story may fail or ask before the run gives it up, the help before that, and retries after a failure of
//! the agent.

use std::time::Duration;

use serde::Serialize;

use crate::TimeSpan;

/// How often a story may fail before the run gives it up and continues with the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttemptLimits {
    /// Failed attempts allowed per story.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub most: u64,
    /// After how many equal failures in a row the agent counts as stuck.
    #[cfg_attr(feature = "schema", schemars(range(min = 2)))]
    pub stuck_after: u64,
    /// How often a stuck agent is asked to try another approach.
    pub strategy_shifts: u64,
}

impl Default for AttemptLimits {
    fn default() -> Self {
        Self { most: 5, stuck_after: 3, strategy_shifts: 2 }
    }
}

/// Help for a story that would otherwise be given up, in this order: each model, each agent, then candidates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EscalationSteps {
    /// Stronger models of the implementing agent, as it names them.
    pub models: Vec<String>,
    /// Other agents: programs, as in `agent.command`. One that `review` names is called as set there.
    pub agents: Vec<String>,
    /// Then, this many fresh attempts from the same commit, each in a clone. The checks decide which of them count, and
    /// a review chooses one. 0 for none.
    #[cfg_attr(feature = "schema", schemars(range(max = 10)))]
    pub candidates: u64,
}

impl EscalationSteps {
    /// How often a story can get help.
    pub fn count(&self) -> u64 {
        (self.models.len() + self.agents.len()) as u64 + u64::from(self.candidates > 0)
    }

    /// Each candidate costs a session.
    pub const MOST_CANDIDATES: u64 = 10;
}

/// Questions of sessions to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuestionLimits {
    /// Questions allowed per story; 0 switches questions off.
    #[cfg_attr(feature = "schema", schemars(range(max = 10)))]
    pub max: u64,
}

impl QuestionLimits {
    /// Each prompt of a story contains all of its questions.
    pub const LARGEST: u64 = 10;
}

impl Default for QuestionLimits {
    fn default() -> Self {
        Self { max: 3 }
    }
}

/// Retries after the agent crashes or gives an empty answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Retries {
    /// The most retries in a row; then the run ends with exit code 4.
    pub most: u64,
    /// The wait before the first retry; doubled with each one.
    pub first_wait: TimeSpan,
}

impl Retries {
    const LONGEST_WAIT: Duration = Duration::from_secs(5 * 60);

    /// The wait before retry `number`, counted from 1.
    pub fn wait(&self, number: u64) -> Duration {
        let doublings = u32::try_from(number.saturating_sub(1)).unwrap_or(u32::MAX).min(16);
        self.first_wait.duration().saturating_mul(1 << doublings).min(Self::LONGEST_WAIT)
    }
}

impl Default for Retries {
    fn default() -> Self {
        Self { most: 3, first_wait: TimeSpan::from_secs(5) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let retries = Retries::default();
        let waits: Vec<u64> = [1, 2, 3, 7, 100].map(|number| retries.wait(number).as_secs()).into();
        assert_eq!(waits, [5, 10, 20, 300, 300]);
    }
}
