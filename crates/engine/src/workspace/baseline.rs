//! The work tree as it was before the run: what the user left there is not work of a session.

use serde::{Deserialize, Serialize};
use vcs::ControlRecord;

use crate::workspace::fingerprints::Fingerprints;

/// Part of the saved state of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Baseline {
    /// The branch of the run.
    pub(crate) branch: String,
    /// Paths that were uncommitted when the run began.
    pub(crate) dirty_before: Vec<String>,
    /// Nested repositories, and paths that could not be changed when a story was given up. Unlike the user's files,
    /// tracked ones are compared with the commit.
    #[serde(default)]
    pub(crate) left_alone: Vec<String>,
    /// The control files of git when the run began.
    #[serde(default)]
    pub(crate) control: Option<ControlRecord>,
    /// Ignored instruction files for agents, from before the current session.
    #[serde(default)]
    pub(crate) instructions: Option<Fingerprints>,
    /// Files that were hidden from git when the run began.
    #[serde(default)]
    pub(crate) unwatched_before: Vec<String>,
}

impl Baseline {
    /// Whether `path` was uncommitted before the run.
    pub(crate) fn is_dirty_before(&self, path: &str) -> bool {
        self.dirty_before.iter().any(|known| known == path)
    }

    /// Paths that the runner neither commits nor moves.
    pub(crate) fn excluded_paths(&self) -> Vec<String> {
        self.dirty_before.iter().chain(&self.left_alone).cloned().collect()
    }

    pub(crate) fn is_excluded(&self, path: &str) -> bool {
        self.is_dirty_before(path) || self.left_alone.iter().any(|known| known == path)
    }
}
