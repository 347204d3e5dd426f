//! Where a job runs, from the variables that its engine sets.

use std::env;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    pub node: String,
    /// How often the engine started the job again.
    pub restart: u64,
}

impl Placement {
    pub fn of_this_process() -> Self {
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let node = variable("SLURMD_NODENAME").or_else(|| variable("HOSTNAME"));
        let restart = variable("SLURM_RESTART_COUNT").and_then(|count| count.parse().ok());
        Self {
            node: node.unwrap_or_else(|| "an unknown node".to_owned()),
            restart: restart.unwrap_or_default(),
        }
    }
}
