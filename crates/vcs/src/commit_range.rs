//! Commit ranges of a story: who made the commits, which other refs contain them, their subjects, and
//! one commit instead of all.

use std::collections::HashSet;
use std::time::Instant;

use crate::commits::NewCommit;
use crate::git_call::GitCall;
use crate::{CommitId, Result, VcsError, WorkTree};

/// A commit range, from its base to its last commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitRange {
    pub from: CommitId,
    pub to: CommitId,
}

#[derive(Debug)]
struct Link {
    commit: String,
    /// Empty for a root commit.
    parent: String,
}

impl WorkTree {
    /// Whether the commits of `whole` are all in `ranges`, and its end descends from its start.
    /// Only first parents are walked, so merged commits count with their merge.
    pub fn consists_of(
        &self,
        whole: &CommitRange,
        ranges: &[CommitRange],
        deadline: Instant,
    ) -> Result<bool> {
        let line = self.first_parents(whole, deadline)?;
        let beginning = match line.last() {
            Some(oldest) => oldest.parent.clone(),
            None => self.resolve(&whole.to, deadline)?.to_string(),
        };
        if beginning != self.resolve(&whole.from, deadline)?.as_str() {
            return Ok(false);
        }
        let mut known = HashSet::new();
        for range in ranges {
            known.extend(self.first_parents(range, deadline)?.into_iter().map(|link| link.commit));
        }
        Ok(line.iter().all(|link| known.contains(&link.commit)))
    }

    /// Whether a ref other than the branches in `own` and the runner's backups contains a commit of
    /// `whole`, so that removing the commits would make it diverge. Stashes and unfetched remote
    /// branches do not count.
    pub fn is_in_other_refs(
        &self,
        whole: &CommitRange,
        own: &[&str],
        deadline: Instant,
    ) -> Result<bool> {
        // A ref with any of the commits has the oldest.
        let line = self.first_parents(whole, deadline)?;
        let Some(oldest) = line.last() else { return Ok(false) };
        let args = ["--format=%(refname)", "--contains", &oldest.commit];
        let output = GitCall::read(self, "for-each-ref").args(args).text(deadline)?;
        let is_own = |name: &str| {
            let branch = name.strip_prefix("refs/heads/");
            branch.is_some_and(|branch| own.contains(&branch))
                || name.starts_with("refs/ralph/")
                || name == "refs/stash"
        };
        Ok(!output.lines().all(is_own))
    }

    /// Newest first, without `from` and its ancestors.
    fn first_parents(&self, range: &CommitRange, deadline: Instant) -> Result<Vec<Link>> {
        let range = format!("{}..{}", range.from, range.to);
        let args = ["--first-parent", "--parents", &range, "--"];
        let output = GitCall::read(self, "rev-list").args(args).text(deadline)?;
        let links = output.lines().map(|line| {
            let mut words = line.split(' ').map(str::to_owned);
            let commit = words.next().unwrap_or_default();
            Link { commit, parent: words.next().unwrap_or_default() }
        });
        Ok(links.collect())
    }

    /// Subjects of the commits in `to` and not in `from`, oldest first; limited to the newest.
    pub fn subjects_between(
        &self,
        from: &CommitId,
        to: &CommitId,
        most: usize,
        deadline: Instant,
    ) -> Result<Vec<String>> {
        let (range, most) = (format!("{from}..{to}"), format!("--max-count={most}"));
        let args = ["-z", "--format=%s", "--no-show-signature", &most, &range, "--"];
        let text = GitCall::read(self, "log").args(args).text(deadline)?;
        let newest_first = text.split('\0').map(str::trim).filter(|subject| !subject.is_empty());
        let mut subjects: Vec<String> = newest_first.map(str::to_owned).collect();
        subjects.reverse();
        Ok(subjects)
    }

    /// Moves HEAD and its branch to one commit on top of `checkpoint` with HEAD's files, which may
    /// exist already. Index and work tree stay. `None` if these are the files of the checkpoint.
    ///
    /// Refused during a merge, rebase, cherry-pick or revert. Fails if HEAD has no commit.
    pub fn squash_since(
        &self,
        checkpoint: &CommitId,
        message: &str,
        deadline: Instant,
    ) -> Result<Option<CommitId>> {
        self.refuse_during_operation()?;
        let checkpoint = self.resolve(checkpoint, deadline)?;
        let (head, tree) = self.head_and_tree(deadline)?.ok_or(VcsError::NoBranch)?;
        if self.tree_id(&checkpoint, deadline)? == tree {
            if head != checkpoint {
                self.move_head(Some(&head), &checkpoint, "ralph: nothing changed", deadline)?;
            }
            return Ok(None);
        }
        if self.is_one(&head, &checkpoint, message, deadline)? {
            return Ok(Some(head));
        }
        let commit = NewCommit { tree: &tree, parents: vec![&checkpoint], message };
        self.advance(Some(&head), &commit, deadline).map(Some)
    }

    fn is_one(
        &self,
        head: &CommitId,
        checkpoint: &CommitId,
        message: &str,
        deadline: Instant,
    ) -> Result<bool> {
        let args = ["-s", "--format=%P%n%B", "--encoding=UTF-8", head.as_str()];
        let expected = format!("{checkpoint}\n{}", message.trim_end());
        Ok(GitCall::read(self, "show").args(args).line(deadline)? == expected)
    }
}
