//! An iteration as recorded before the agent starts. It is judged by these values, which are in memory, out of the
//! agent's reach.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use project::{Layout, Marker, StoredMarker, Tampering};
use tasks::{Correction, ReviewPolicy, Sha256Digest, Story};
use vcs::CommitId;

use crate::lane::assignment::Assignment;
use crate::lane::rollback::RollbackPoint;
use crate::lane::task_text::TaskText;
use crate::workspace::SessionWork;

#[derive(Debug)]
pub(crate) struct Iteration {
    pub(crate) assignment: Assignment,
    pub(crate) before: Arc<TaskText>,
    pub(crate) marker: Marker,
    /// Digest of the written marker; `None` if the runner that wrote it was killed.
    pub(crate) marker_sha256: Option<Sha256Digest>,
    pub(crate) checkpoint: CommitId,
    /// Contents of the user's files, as far as known after a runner was killed.
    pub(crate) protected: BTreeMap<String, Vec<u8>>,
    pub(crate) folder: PathBuf,
    pub(crate) session: String,
    /// The state to roll back to if it fails; `None` if failed work stays.
    pub(crate) rollback_point: Option<RollbackPoint>,
}

impl Iteration {
    pub(crate) fn story(&self) -> Option<&Story> {
        self.before.list.story(&self.assignment.story)
    }

    pub(crate) fn work(&self) -> SessionWork<'_> {
        let Assignment { iteration, attempt, .. } = &self.assignment;
        SessionWork {
            label: self.label(),
            story: &self.assignment.story,
            folder: &self.folder,
            checkpoint: &self.checkpoint,
            backup: format!("{iteration}-{attempt}"),
        }
    }

    /// `iteration 3 (review of US-002)`
    pub(crate) fn label(&self) -> String {
        let Assignment { iteration, mode, story, .. } = &self.assignment;
        format!("iteration {iteration} ({mode} of {story})")
    }

    pub(crate) fn review(&self) -> ReviewPolicy {
        self.marker.review
    }

    /// The task list that the session left, without forbidden changes.
    pub(crate) fn corrected(&self, left: &[u8]) -> Correction {
        let rules = match self.review() {
            ReviewPolicy::Skipped => None,
            ReviewPolicy::Required { cap } => Some(tasks::Iteration {
                mode: self.assignment.mode,
                selected: Some(self.assignment.story.clone()),
                review_cap: cap,
            }),
        };
        tasks::correct(&self.before.text, left, rules.as_ref())
    }

    /// How the marker on disk was changed, if it was.
    pub(crate) fn tampering(&self, layout: &Layout) -> Option<Tampering> {
        let written = self.marker_sha256?;
        match StoredMarker::load(layout) {
            Ok(None) => Some(Tampering::Removed),
            Err(error) => Some(Tampering::Unreadable { why: error.to_string() }),
            Ok(Some(stored)) => {
                let found = stored.sha256();
                (written != found).then_some(Tampering::Altered { written, found })
            }
        }
    }
}
