//! Agents besides those of the roles: for a story that would otherwise be given up, and while an agent is at its usage
//! limit.

use crate::options::AgentOptions;

#[derive(Debug, Clone, Default)]
pub struct OtherAgents {
    /// Stronger models of the implementing agent, in the order in which they get a story.
    pub models: Vec<String>,
    /// Names of agents that get a story after these models.
    pub stronger: Vec<String>,
    /// Names of agents that take over at a usage limit, in this order.
    pub fallbacks: Vec<String>,
    /// The agents with these names, except the implementing one.
    pub agents: Vec<AgentOptions>,
}
