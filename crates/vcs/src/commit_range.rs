//! Commit ranges of a story: who made the commits, and which other refs contain them.

use std::collections::HashSet;
use std::time::Instant;

use crate::git_call::GitCall;
use crate::{CommitId, VcsError, WorkTree};

/// A commit range, from its base to its last commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitRange {
    pub from: CommitId,
    pub to: CommitId,
}

impl WorkTree {
    /// Whether the commits of `whole` are all in `ranges`, and its end descends from its start.
    /// Only first parents are walked, so merged commits count with their merge.
    pub fn consists_of(
        &self,
        whole: &CommitRange,
        ranges: &[CommitRange],
        deadline: Instant,
    ) -> Result<bool, VcsError> {
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
    ) -> Result<bool, VcsError> {
        // A ref with any of the commits has the oldest.
        let line = self.first_parents(whole, deadline)?;
        let Some(oldest) = line.last() else { return Ok(false) };
        let args = ["--format=%(refname)", "--contains", &oldest.commit];
        let output = GitCall::read(self, "for-each-ref").args(args).output(deadline)?;
        let output = String::from_utf8_lossy(&output);
        let is_own = |name: &str| {
            let branch = name.strip_prefix("refs/heads/");
            branch.is_some_and(|branch| own.contains(&branch))
                || name.starts_with("refs/ralph/")
                || name == "refs/stash"
        };
        Ok(!output.lines().all(is_own))
    }

    /// Newest first, without `from` and its ancestors.
    fn first_parents(&self, range: &CommitRange, deadline: Instant) -> Result<Vec<Link>, VcsError> {
        let range = format!("{}..{}", range.from, range.to);
        let args = ["--first-parent", "--parents", &range, "--"];
        let output = GitCall::read(self, "rev-list").args(args).output(deadline)?;
        let output = String::from_utf8_lossy(&output);
        let links = output.lines().map(|line| {
            let mut words = line.split(' ').map(str::to_owned);
            let commit = words.next().unwrap_or_default();
            Link { commit, parent: words.next().unwrap_or_default() }
        });
        Ok(links.collect())
    }
}

#[derive(Debug)]
struct Link {
    commit: String,
    /// Empty for a root commit.
    parent: String,
}
