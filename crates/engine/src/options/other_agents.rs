//! Agents besides those of the roles: for a story that would otherwise be given up, and while an agent is at its usage
//! limit.

use std::path::PathBuf;

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
    /// `None` without candidates.
    pub candidates: Option<CandidateOptions>,
}

/// Fresh attempts at a story from the same commit, of which one is taken over.
#[derive(Debug, Clone)]
pub struct CandidateOptions {
    pub count: u64,
    /// The folder for their clones, outside of the project.
    pub dir: PathBuf,
    /// Commands that run once in a new clone.
    pub setup: Vec<String>,
}
