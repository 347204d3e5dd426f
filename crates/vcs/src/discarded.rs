//! Commits the state that a rollback would discard.

use std::time::Instant;

use crate::{Checkpoint, CommitId, VcsError, WorkTree};

impl WorkTree {
    /// A commit of the current files without ignored ones. Its parents are HEAD and the tip of
    /// `branch`. `None` if it has nothing that `to` lacks.
    ///
    /// It has no ref; see `backup_ref`.
    pub fn discarded(
        &self,
        branch: &str,
        to: &Checkpoint,
        excluded: impl Fn(&str) -> bool,
        deadline: Instant,
    ) -> Result<Option<CommitId>, VcsError> {
        let state = self.state(deadline)?;
        let tip = self.branch_tip(branch, deadline)?;
        let files = self.tree_of_files(state.dirty, &excluded, deadline)?;
        let mut parents: Vec<&CommitId> = state.head.iter().collect();
        if let Some(tip) = &tip
            && (parents.is_empty() || !self.is_ancestor(tip, parents[0], deadline)?)
        {
            parents.push(tip);
        }
        let before = self.tree_id(to.dirty.as_ref().unwrap_or(&to.head), deadline)?;
        if let [head] = parents[..]
            && (*head == to.head && files == before)
        {
            return Ok(None);
        }
        if let [head] = parents[..]
            && self.tree_id(head, deadline)? == files
        {
            return Ok(Some(head.clone()));
        }
        self.unsigned_commit(&files, &parents, "ralph: what was rolled back", deadline).map(Some)
    }
}
