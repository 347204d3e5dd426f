//! Where a job runs, from the variables that its engine sets.

use std::env;
use std::time::{SystemTime, UNIX_EPOCH};

/// In a pod: the name of its node.
pub(crate) const NODE_VARIABLE: &str = "RALPH_NODE";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    pub node: String,
    /// A later start of the same job has a higher number.
    pub start: u64,
}

impl Placement {
    pub fn of_this_process() -> Self {
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let node = ["SLURMD_NODENAME", NODE_VARIABLE, "HOSTNAME"].into_iter().find_map(variable);
        // Slurm counts the starts. Kubernetes does not.
        let start = if variable("SLURM_JOB_ID").is_some() {
            variable("SLURM_RESTART_COUNT").and_then(|count| count.parse().ok())
        } else {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            now.ok().map(|now| now.as_secs())
        };
        let unknown = || "an unknown node".to_owned();
        Self { node: node.unwrap_or_else(unknown), start: start.unwrap_or_default() }
    }
}
