//! The branch that a run works on.

use std::time::Instant;

use crate::git_call::GitCall;
use crate::new_commit::commit_id;
use crate::path_text::from_bytes;
use crate::refs_on_disk::{Reference, Unclear};
use crate::{CommitId, VcsError, WorkTree, refuse_invalid_branch};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchPrepared {
    AlreadyThere,
    CheckedOut,
    Created,
}

impl WorkTree {
    /// Stays on branch `name`, switches to it, or creates it at HEAD.
    ///
    /// Uncommitted changes come along; git refuses if they conflict. Before the first commit, HEAD
    /// just points to the new name.
    pub fn prepare_branch(
        &self,
        name: &str,
        deadline: Instant,
    ) -> Result<BranchPrepared, VcsError> {
        self.change_branch(name, &["--no-guess"], deadline)
    }

    /// Like `prepare_branch`, even if another work tree has the branch checked out.
    pub fn take_branch(&self, name: &str, deadline: Instant) -> Result<BranchPrepared, VcsError> {
        self.change_branch(name, &["--no-guess", "--ignore-other-worktrees"], deadline)
    }

    fn change_branch(
        &self,
        name: &str,
        flags: &[&str],
        deadline: Instant,
    ) -> Result<BranchPrepared, VcsError> {
        refuse_invalid_branch(name)?;
        if self.is_on_branch(name, deadline)? {
            return Ok(BranchPrepared::AlreadyThere);
        }
        if self.branch_exists(name, deadline)? {
            self.switch(&[flags, &[name]].concat(), name, deadline)?;
            Ok(BranchPrepared::CheckedOut)
        } else {
            self.switch(&["--create", name], name, deadline)?;
            Ok(BranchPrepared::Created)
        }
    }

    /// `None` if the branch does not exist.
    pub fn branch_tip(&self, name: &str, deadline: Instant) -> Result<Option<CommitId>, VcsError> {
        let branch = format!("refs/heads/{name}^{{commit}}");
        let args = ["--verify", "--quiet", &branch];
        let call = GitCall::read(self, "rev-parse").args(args);
        let printed = call.output_if_yes(deadline)?;
        printed.map(|printed| commit_id(&printed, "rev-parse")).transpose()
    }

    /// The local main branch: the one that `origin/HEAD` names, else `main` or `master`. `None` if
    /// none exists.
    pub fn default_branch(&self, deadline: Instant) -> Result<Option<String>, VcsError> {
        const ORIGIN: &str = "refs/remotes/origin/";
        // An agent can write any value here, and git rejects some.
        let target = self.leads_to(&format!("{ORIGIN}HEAD"), deadline).ok().flatten();
        let of_origin = target.as_deref().and_then(|target| target.strip_prefix(ORIGIN));
        let of_origin = of_origin.filter(|name| refuse_invalid_branch(name).is_ok());
        for name in of_origin.into_iter().chain(["main", "master"]) {
            if self.branch_exists(name, deadline)? {
                return Ok(Some(name.to_owned()));
            }
        }
        Ok(None)
    }

    /// The target if branch `name` is a symbolic ref, else `None`.
    pub fn symbolic_target(
        &self,
        name: &str,
        deadline: Instant,
    ) -> Result<Option<String>, VcsError> {
        self.leads_to(&format!("refs/heads/{name}"), deadline)
    }

    fn leads_to(&self, name: &str, deadline: Instant) -> Result<Option<String>, VcsError> {
        match self.reference(name) {
            Ok(Reference::Symbolic(target)) => Ok(Some(target)),
            Ok(Reference::Absent | Reference::Hash(_)) => Ok(None),
            Err(Unclear) => {
                let call = GitCall::read(self, "symbolic-ref").args(["--quiet", name]);
                let printed = call.output_if_yes(deadline)?;
                Ok(printed.map(|printed| from_bytes(&printed).trim_end().to_owned()))
            }
        }
    }

    /// Makes `reference` (full name) a direct ref at `commit`, whatever it pointed to. Index and
    /// work tree stay.
    pub fn set_reference(
        &self,
        reference: &str,
        commit: &CommitId,
        deadline: Instant,
    ) -> Result<(), VcsError> {
        let args = ["--no-deref", "-m", "ralph: as it was", reference, commit.as_str()];
        GitCall::write(self, "update-ref").args(args).output(deadline).map(drop)
    }

    pub(crate) fn is_on_branch(&self, name: &str, deadline: Instant) -> Result<bool, VcsError> {
        let target = self.leads_to("HEAD", deadline)?;
        Ok(target.is_some_and(|target| target == format!("refs/heads/{name}")))
    }

    fn branch_exists(&self, name: &str, deadline: Instant) -> Result<bool, VcsError> {
        let branch = format!("refs/heads/{name}");
        match self.reference(&branch) {
            Ok(found) => Ok(found != Reference::Absent),
            Err(Unclear) => {
                let call = GitCall::read(self, "show-ref").args(["--verify", "--quiet", &branch]);
                Ok(call.output_if_yes(deadline)?.is_some())
            }
        }
    }

    fn switch(&self, args: &[&str], name: &str, deadline: Instant) -> Result<(), VcsError> {
        let git = || GitCall::write(self, "switch");
        let call = || Ok(git().args(["--quiet"]).args(args));
        let answer = self.change_index(deadline, call)?;
        if answer.status.success() || self.is_on_branch(name, deadline)? {
            return Ok(());
        }
        let message = answer.error_lines().collect::<Vec<_>>().join("\n");
        Err(VcsError::BranchRefused { name: name.to_owned(), message })
    }
}
