//! Creates the runner's own commits from existing trees, reads commits and their ancestry, and keeps a
//! checkpoint in the history.
//!
//! Own commits save unfinished work or revert changes, so the project must not block them: no hook runs,
//! and a failing signature is omitted.

use std::time::{Duration, Instant};

use crate::git_call::GitCall;
use crate::object_store::{Commit, ObjectStore};
use crate::path_text::{os_string, to_bytes};
use crate::refs_on_disk::Unclear;
use crate::{CommitId, Result, TreeId, VcsError, WorkTree};

/// Requires a configured identity; git fails instead of guessing.
const CONFIGURED_IDENTITY: [&str; 1] = ["user.useConfigOnly=true"];

/// Used if no identity is configured.
const OWN_IDENTITY: [&str; 2] = ["user.name=Ralph Loop", "user.email=ralph@localhost"];

/// Limits a signing program, because nothing answers a passphrase prompt.
const SIGNING_PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct NewCommit<'a> {
    pub(crate) tree: &'a TreeId,
    pub(crate) parents: Vec<&'a CommitId>,
    pub(crate) message: &'a str,
}

impl WorkTree {
    /// `None` before the first commit.
    pub fn head(&self, deadline: Instant) -> Result<Option<CommitId>> {
        match self.resolved("HEAD") {
            Ok(found) => found.map(|name| commit_id(name.as_bytes(), "rev-parse")).transpose(),
            Err(Unclear) => self.rev_parse("HEAD", deadline),
        }
    }

    /// `None` if git knows no commit of this name.
    /// The commit that `name` means to git; `None` if there is none.
    pub fn rev_parse(&self, name: &str, deadline: Instant) -> Result<Option<CommitId>> {
        let call = GitCall::read(self, "rev-parse").args(["--verify", "--quiet", name]);
        let printed = call.output_if_yes(deadline)?;
        printed.map(|printed| commit_id(&printed, "rev-parse")).transpose()
    }

    /// Creates a commit without a ref.
    pub fn commit_tree(
        &self,
        tree: &TreeId,
        parents: &[&CommitId],
        message: &str,
        deadline: Instant,
    ) -> Result<CommitId> {
        self.make(&NewCommit { tree, parents: parents.to_vec(), message }, deadline)
    }

    /// A commit of the runner without signature and branch.
    pub(crate) fn unsigned_commit(
        &self,
        tree: &TreeId,
        parents: &[&CommitId],
        message: &str,
        deadline: Instant,
    ) -> Result<CommitId> {
        let commit = NewCommit { tree, parents: parents.to_vec(), message };
        self.try_make(&commit, &OWN_IDENTITY, "--no-gpg-sign", deadline)
    }

    /// Creates the commit and moves HEAD to it, unless HEAD moved away from `head` meanwhile. Index
    /// and work tree stay.
    pub(crate) fn advance(
        &self,
        head: Option<&CommitId>,
        commit: &NewCommit<'_>,
        deadline: Instant,
    ) -> Result<CommitId> {
        let made = self.make(commit, deadline)?;
        let subject = commit.message.lines().next().unwrap_or_default();
        self.move_head(head, &made, &format!("commit: {subject}"), deadline)?;
        Ok(made)
    }

    pub(crate) fn move_head(
        &self,
        from: Option<&CommitId>,
        to: &CommitId,
        reason: &str,
        deadline: Instant,
    ) -> Result<()> {
        // For git, an empty old value means "must not exist".
        let from = from.map_or("", CommitId::as_str);
        let args = ["-m", reason, "HEAD", to.as_str(), from];
        GitCall::write(self, "update-ref").args(args).run(deadline)
    }

    fn make(&self, commit: &NewCommit<'_>, deadline: Instant) -> Result<CommitId> {
        match self.make_as(commit, &CONFIGURED_IDENTITY, deadline) {
            Err(VcsError::Failed { .. }) => self.make_as(commit, &OWN_IDENTITY, deadline),
            made => made,
        }
    }

    fn make_as(
        &self,
        commit: &NewCommit<'_>,
        settings: &[&str],
        deadline: Instant,
    ) -> Result<CommitId> {
        if self.signs(deadline)? {
            let left = deadline.saturating_duration_since(Instant::now());
            let patience = Instant::now() + SIGNING_PATIENCE.min(left / 2);
            if let Ok(made) = self.try_make(commit, settings, "-S", patience) {
                return Ok(made);
            }
        }
        self.try_make(commit, settings, "--no-gpg-sign", deadline)
    }

    fn try_make(
        &self,
        commit: &NewCommit<'_>,
        settings: &[&str],
        signing_option: &str,
        deadline: Instant,
    ) -> Result<CommitId> {
        let parents = commit.parents.iter().flat_map(|parent| ["-p", parent.as_str()]);
        let message = format!("{}\n", commit.message.trim_end());
        let printed = GitCall::with_settings(self, settings, "commit-tree")
            .writing()
            .args([signing_option, "-F", "-"])
            .args(parents)
            .args([commit.tree.as_str()])
            .input(message.as_bytes())?
            .output(deadline)?;
        commit_id(&printed, "commit-tree")
    }

    /// Read once, because sessions may not change it.
    fn signs(&self, deadline: Instant) -> Result<bool> {
        if let Some(known) = self.signs_commits.get() {
            return Ok(*known);
        }
        let is_signed = self.is_on("commit.gpgsign", deadline)?;
        Ok(*self.signs_commits.get_or_init(|| is_signed))
    }

    pub fn tree_id(&self, commit: &CommitId, deadline: Instant) -> Result<TreeId> {
        if let Some(read) = self.read_commit(commit, deadline) {
            return Ok(TreeId(read.tree));
        }
        let tree = format!("{commit}^{{tree}}");
        let call = GitCall::read(self, "rev-parse").args(["--verify", &tree]);
        call.line(deadline).map(TreeId)
    }

    /// `None` before the first commit.
    pub fn head_and_tree(&self, deadline: Instant) -> Result<Option<(CommitId, TreeId)>> {
        let Some(head) = self.head(deadline)? else { return Ok(None) };
        let tree = self.tree_id(&head, deadline)?;
        Ok(Some((head, tree)))
    }

    fn read_commit(&self, commit: &CommitId, deadline: Instant) -> Option<Commit> {
        self.in_process("a commit", deadline, |store| store.commit(commit.as_str()))
    }

    /// The full hash of a commit. A missing commit is an error.
    pub(crate) fn resolve(&self, commit: &CommitId, deadline: Instant) -> Result<CommitId> {
        if self.read_commit(commit, deadline).is_some() {
            return Ok(commit.clone());
        }
        let commit = format!("{commit}^{{commit}}");
        let call = GitCall::read(self, "rev-parse").args(["--verify", &commit]);
        commit_id(&call.output(deadline)?, "rev-parse")
    }

    /// An unreferenced commit may have been garbage-collected.
    pub fn has_commit(&self, commit: &CommitId, deadline: Instant) -> Result<bool> {
        Ok(self.read_commit(commit, deadline).is_some()
            || self.rev_parse(&format!("{commit}^{{commit}}"), deadline)?.is_some())
    }

    /// A commit is its own ancestor.
    pub fn is_ancestor(
        &self,
        ancestor: &CommitId,
        descendant: &CommitId,
        deadline: Instant,
    ) -> Result<bool> {
        let [from, to] = [ancestor.as_str(), descendant.as_str()];
        let read = |store: &ObjectStore| store.is_ancestor(from, to);
        if let Some(is_ancestor) = self.in_process("ancestors", deadline, read) {
            return Ok(is_ancestor);
        }
        let args = ["--is-ancestor", from, to];
        let call = GitCall::read(self, "merge-base").args(args);
        Ok(call.output_if_yes(deadline)?.is_some())
    }

    /// The newest commit that both contain; `None` if they share none.
    pub fn merge_base(
        &self,
        one: &CommitId,
        other: &CommitId,
        deadline: Instant,
    ) -> Result<Option<CommitId>> {
        let call = GitCall::read(self, "merge-base").args([one.as_str(), other.as_str()]);
        let printed = call.output_if_yes(deadline)?;
        printed.map(|printed| commit_id(&printed, "merge-base")).transpose()
    }

    /// Merges `checkpoint` into HEAD if an amend or reset removed it from the history. Dropped
    /// changes return; on conflicts HEAD wins. If git cannot merge, the result has the files of the
    /// checkpoint. Uncommitted files stay. On a branch without commits, HEAD becomes the
    /// checkpoint. Returns the new HEAD; `None` if the checkpoint was in the history.
    ///
    /// Refused during a merge, rebase, cherry-pick or revert.
    pub fn keep_history(
        &self,
        checkpoint: &CommitId,
        deadline: Instant,
    ) -> Result<Option<CommitId>> {
        let head = self.head(deadline)?;
        if let Some(head) = &head
            && self.is_ancestor(checkpoint, head, deadline)?
        {
            return Ok(None);
        }
        self.refuse_during_operation()?;
        let Some(head) = head else {
            self.move_head(None, checkpoint, "keep the history", deadline)?;
            return Ok(Some(checkpoint.clone()));
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
        Ok(Some(made))
    }

    fn merged(&self, head: &CommitId, checkpoint: &CommitId, deadline: Instant) -> Result<TreeId> {
        let flags = ["--write-tree", "--allow-unrelated-histories", "-X", "ours"];
        let args = flags.into_iter().chain([head.as_str(), checkpoint.as_str()]);
        let answer = GitCall::read(self, "merge-tree").args(args).answer(deadline)?;
        if !answer.status.success() {
            return self.tree_id(checkpoint, deadline);
        }
        let printed = String::from_utf8_lossy(&answer.stdout).trim_end().to_owned();
        Ok(TreeId(printed))
    }

    /// Stores `commit` as `refs/ralph/<name>`, which is neither garbage-collected nor pushed.
    pub fn backup_ref(&self, name: &str, commit: &CommitId, deadline: Instant) -> Result<()> {
        let name = os_string(&to_bytes(&format!("refs/ralph/{name}")));
        let call = GitCall::write(self, "update-ref").args([name]).args([commit.as_str()]);
        call.run(deadline)
    }
}

pub(crate) fn commit_id(printed: &[u8], command: &'static str) -> Result<CommitId> {
    let text = String::from_utf8_lossy(printed);
    CommitId::new(text.trim_end()).map_err(|_| VcsError::Unreadable { command })
}
