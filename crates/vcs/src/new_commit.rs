//! Creates the runner's own commits from existing trees.
//!
//! They save unfinished work or revert changes, so the project must not block them: no hook runs,
//! and a failing signature is omitted.

use std::time::{Duration, Instant};

use crate::git_call::GitCall;
use crate::refs_on_disk::Unclear;
use crate::{CommitId, TreeId, VcsError, WorkTree};

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
    pub fn head(&self, deadline: Instant) -> Result<Option<CommitId>, VcsError> {
        let name = match self.resolved("HEAD") {
            Ok(found) => found.map(String::into_bytes),
            Err(Unclear) => {
                let args = ["--verify", "--quiet", "HEAD"];
                GitCall::read(self, "rev-parse").args(args).output_if_yes(deadline)?
            }
        };
        name.map(|name| commit_id(&name, "rev-parse")).transpose()
    }

    /// Creates a commit without a ref.
    pub fn commit_tree(
        &self,
        tree: &TreeId,
        parents: &[&CommitId],
        message: &str,
        deadline: Instant,
    ) -> Result<CommitId, VcsError> {
        self.make(&NewCommit { tree, parents: parents.to_vec(), message }, deadline)
    }

    /// A temporary commit for a merge computation.
    pub(crate) fn temporary_commit(
        &self,
        tree: &TreeId,
        parents: &[&CommitId],
        deadline: Instant,
    ) -> Result<CommitId, VcsError> {
        self.unsigned_commit(tree, parents, "for a merge", deadline)
    }

    /// A commit of the runner without signature and branch.
    pub(crate) fn unsigned_commit(
        &self,
        tree: &TreeId,
        parents: &[&CommitId],
        message: &str,
        deadline: Instant,
    ) -> Result<CommitId, VcsError> {
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
    ) -> Result<CommitId, VcsError> {
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
    ) -> Result<(), VcsError> {
        // For git, an empty old value means "must not exist".
        let from = from.map_or("", CommitId::as_str);
        let args = ["-m", reason, "HEAD", to.as_str(), from];
        GitCall::write(self, "update-ref").args(args).output(deadline).map(drop)
    }

    fn make(&self, commit: &NewCommit<'_>, deadline: Instant) -> Result<CommitId, VcsError> {
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
    ) -> Result<CommitId, VcsError> {
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
    ) -> Result<CommitId, VcsError> {
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
    fn signs(&self, deadline: Instant) -> Result<bool, VcsError> {
        if let Some(known) = self.signs_commits.get() {
            return Ok(*known);
        }
        let args = ["--type=bool", "--get", "commit.gpgsign"];
        let printed = GitCall::read(self, "config").args(args).output_if_yes(deadline)?;
        let is_signed = printed.is_some_and(|value| value.starts_with(b"true"));
        Ok(*self.signs_commits.get_or_init(|| is_signed))
    }
}

pub(crate) fn commit_id(printed: &[u8], command: &'static str) -> Result<CommitId, VcsError> {
    let text = String::from_utf8_lossy(printed);
    CommitId::new(text.trim_end()).map_err(|_| VcsError::Unreadable { command })
}
