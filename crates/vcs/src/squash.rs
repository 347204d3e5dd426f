//! Squashes all commits since a checkpoint into one.

use std::time::Instant;

use crate::git_call::GitCall;
use crate::new_commit::NewCommit;
use crate::{CommitId, VcsError, WorkTree};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Squashed {
    /// HEAD has the files of the checkpoint and is reset to it.
    Nothing,
    /// One commit with that message exists already.
    AlreadyOne(CommitId),
    Commit(CommitId),
}

impl WorkTree {
    /// Moves HEAD and its branch to one commit on top of `checkpoint` with HEAD's files. Index and
    /// work tree stay.
    ///
    /// Refused during a merge, rebase, cherry-pick or revert. Fails if HEAD has no commit.
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
