//! Stronger help for a story that would otherwise be given up.

use std::path::PathBuf;

use crate::options::AgentOptions;

#[derive(Debug, Clone, Default)]
pub struct HelpOptions {
    /// Stronger models of the implementing agent, in the order in which they get a story.
    pub models: Vec<String>,
    /// Agents that get a story after these models.
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
