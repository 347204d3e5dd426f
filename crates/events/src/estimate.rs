//! What the open stories of a run will probably need.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// Stories that are neither done nor given up.
    pub stories: u64,
    pub iterations_per_story: f64,
    pub basis: EstimateBasis,
    pub iterations: u64,
    /// Average so far; `None` if the agent reports no cost.
    pub cost_per_iteration_usd: Option<f64>,
    pub cost_usd: Option<f64>,
    pub iterations_left: u64,
    pub cost_left_usd: Option<f64>,
}

impl Estimate {
    pub fn is_short_of_iterations(&self) -> bool {
        self.iterations > self.iterations_left
    }

    pub fn is_short_of_money(&self) -> bool {
        self.cost_usd.zip(self.cost_left_usd).is_some_and(|(needed, left)| needed > left)
    }
}

/// Where `iterations_per_story` comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EstimateBasis {
    /// Built-in values.
    Usual,
    /// The average of this project's stories.
    SoFar,
}
