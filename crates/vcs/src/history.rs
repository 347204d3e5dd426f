//! Reads commits and their ancestry, and keeps a checkpoint in the history.

use std::time::Instant;

use crate::git_call::GitCall;
use crate::new_commit::{NewCommit, commit_id};
use crate::object_store::{Commit, ObjectStore};
use crate::path_text::{os_string, to_bytes};
use crate::{CommitId, TreeId, VcsError, WorkTree};

/// The result of keeping a commit in the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryKept {
    WasThere,
    /// HEAD is now this merge of both.
    Rejoined(CommitId),
}

impl WorkTree {
    pub fn tree_id(&self, commit: &CommitId, deadline: Instant) -> Result<TreeId, VcsError> {
        if let Some(read) = self.read_commit(commit, deadline) {
            return Ok(TreeId::new(read.tree));
        }
        let tree = format!("{commit}^{{tree}}");
        let call = GitCall::read(self, "rev-parse").args(["--verify", &tree]);
        call.line(deadline).map(TreeId::new)
    }

    /// `None` before the first commit.
    pub fn head_and_tree(&self, deadline: Instant) -> Result<Option<(CommitId, TreeId)>, VcsError> {
        let Some(head) = self.head(deadline)? else { return Ok(None) };
        let tree = self.tree_id(&head, deadline)?;
        Ok(Some((head, tree)))
    }

    fn read_commit(&self, commit: &CommitId, deadline: Instant) -> Option<Commit> {
        self.in_process("a commit", deadline, |store| store.commit(commit.as_str()))
    }

    /// The full hash of a commit. A missing commit is an error.
    pub(crate) fn resolve(
        &self,
        commit: &CommitId,
        deadline: Instant,
    ) -> Result<CommitId, VcsError> {
        if self.read_commit(commit, deadline).is_some() {
            return Ok(commit.clone());
        }
        let commit = format!("{commit}^{{commit}}");
        let call = GitCall::read(self, "rev-parse").args(["--verify", &commit]);
        commit_id(&call.output(deadline)?, "rev-parse")
    }

    /// An unreferenced commit may have been garbage-collected.
    pub fn has_commit(&self, commit: &CommitId, deadline: Instant) -> Result<bool, VcsError> {
        if self.read_commit(commit, deadline).is_some() {
            return Ok(true);
        }
        let commit = format!("{commit}^{{commit}}");
        let args = ["--verify", "--quiet", &commit];
        let call = GitCall::read(self, "rev-parse").args(args);
        Ok(call.output_if_yes(deadline)?.is_some())
    }

    /// A commit is its own ancestor.
    pub fn is_ancestor(
        &self,
        ancestor: &CommitId,
        descendant: &CommitId,
        deadline: Instant,
    ) -> Result<bool, VcsError> {
        let [from, to] = [ancestor.as_str(), descendant.as_str()];
        let read = |store: &ObjectStore| store.is_ancestor(from, to);
        if let Some(is_ancestor) = self.in_process("ancestors", deadline, read) {
            return Ok(is_ancestor);
        }
        let args = ["--is-ancestor", from, to];
        let call = GitCall::read(self, "merge-base").args(args);
        Ok(call.output_if_yes(deadline)?.is_some())
    }

    /// Merges `checkpoint` into HEAD if an amend or reset removed it from the history. Dropped
    /// changes return; on conflicts HEAD wins. If git cannot merge, the result has the files of the
    /// checkpoint. Uncommitted files stay. On a branch without commits, HEAD becomes the
    /// checkpoint.
    ///
    /// Refused during a merge, rebase, cherry-pick or revert.
    pub fn keep_history(
        &self,
        checkpoint: &CommitId,
        deadline: Instant,
    ) -> Result<HistoryKept, VcsError> {
        let head = self.head(deadline)?;
        if let Some(head) = &head
            && self.is_ancestor(checkpoint, head, deadline)?
        {
            return Ok(HistoryKept::WasThere);
        }
        self.refuse_during_operation()?;
        let Some(head) = head else {
            self.move_head(None, checkpoint, "keep the history", deadline)?;
            return Ok(HistoryKept::Rejoined(checkpoint.clone()));
        };
        let tree = self.merged(&head, checkpoint, deadline)?;
        let message = format!("Keep the history of {checkpoint}");
        let parents = vec![&head, checkpoint];
        let commit = NewCommit { tree: &tree, parents, message: &message };
        let dirty = self.state(deadline)?.dirty;
        let made = self.advance(Some(&head), &commit, deadline)?;
        let mut changed = self.start_changes_since(&head)?.finish(deadline)?;
        changed.retain(|path| dirty.iter().all(|dirty| dirty.path != *path));
        self.restore_paths(&made, &changed, deadline)?;
        Ok(HistoryKept::Rejoined(made))
    }

    fn merged(
        &self,
        head: &CommitId,
        checkpoint: &CommitId,
        deadline: Instant,
    ) -> Result<TreeId, VcsError> {
        let flags = ["--write-tree", "--allow-unrelated-histories", "-X", "ours"];
        let args = flags.into_iter().chain([head.as_str(), checkpoint.as_str()]);
        let answer = GitCall::read(self, "merge-tree").args(args).answer(deadline)?;
        if !answer.status.success() {
            return self.tree_id(checkpoint, deadline);
        }
        let printed = String::from_utf8_lossy(&answer.stdout).trim_end().to_owned();
        Ok(TreeId::new(printed))
    }

    /// Stores `commit` as `refs/ralph/<name>`, which is neither garbage-collected nor pushed.
    pub fn backup_ref(
        &self,
        name: &str,
        commit: &CommitId,
        deadline: Instant,
    ) -> Result<(), VcsError> {
        let name = os_string(&to_bytes(&format!("refs/ralph/{name}")));
        let call = GitCall::write(self, "update-ref").args([name]).args([commit.as_str()]);
        call.output(deadline).map(drop)
    }
}
