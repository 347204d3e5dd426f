//! All commits since a checkpoint as one.

use std::time::Instant;

use crate::git_call::GitCall;
use crate::new_commit::NewCommit;
use crate::{CommitId, VcsError, WorkTree};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Squashed {
    /// HEAD holds what the checkpoint does, and is the checkpoint again.
    Nothing,
    /// With that message.
    AlreadyOne(CommitId),
    Commit(CommitId),
}

impl WorkTree {
    /// Puts HEAD, and the branch it is on, to one commit on top of `checkpoint` with HEAD's files, by
    /// whatever way they came there. Index and work tree stay as they are.
    ///
    /// Refused while a merge, rebase, cherry-pick or revert is in progress. HEAD that has no commit is
    /// an error.
    pub fn squash_since(
        &self,
        checkpoint: &CommitId,
        message: &str,
        deadline: Instant,
    ) -> Result<Squashed, VcsError> {
        self.refuse_during_operation()?;
        let checkpoint = self.resolve(checkpoint, deadline)?;
        let (head, tree) = self.head_and_tree(deadline)?.ok_or(VcsError::NoBranch)?;
        if self.tree_id(&checkpoint, deadline)? == tree {
            if head != checkpoint {
                self.move_head(Some(&head), &checkpoint, "ralph: nothing changed", deadline)?;
            }
            return Ok(Squashed::Nothing);
        }
        if self.is_one(&head, &checkpoint, message, deadline)? {
            return Ok(Squashed::AlreadyOne(head));
        }
        let commit = NewCommit { tree: &tree, parents: vec![&checkpoint], message };
        self.advance(Some(&head), &commit, deadline).map(Squashed::Commit)
    }

    fn is_one(
        &self,
        head: &CommitId,
        checkpoint: &CommitId,
        message: &str,
        deadline: Instant,
    ) -> Result<bool, VcsError> {
        let args = ["-s", "--format=%P%n%B", "--encoding=UTF-8", head.as_str()];
        let printed = GitCall::read(self, "show").args(args).output(deadline)?;
        let expected = format!("{checkpoint}\n{}", message.trim_end());
        Ok(String::from_utf8_lossy(&printed).trim_end() == expected)
    }
}
