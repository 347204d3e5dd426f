//! Stretches of work in a branch's history: whose commits they are, and who else has them.

use std::collections::HashSet;
use std::time::Instant;

use crate::git_call::GitCall;
use crate::{CommitId, VcsError, WorkTree};

/// A stretch of work: from the commit it started from to the one it ended with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    pub from: CommitId,
    pub to: CommitId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// Every commit belongs to one of the stretches.
    All,
    /// There are commits of somebody else's, or the end does not come from the beginning.
    Others,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    OnlyHere,
    /// A branch, a tag, a remote's branch: taking the commits away would make them diverge.
    Elsewhere,
}

impl WorkTree {
    /// Whether the commits of `whole` are all in `stretches`. Commits that a merge brought along
    /// come with the merge, whoever made them: only first parents are walked.
    pub fn covers(
        &self,
        whole: &Stretch,
        stretches: &[Stretch],
        deadline: Instant,
    ) -> Result<Coverage, VcsError> {
        let line = self.first_parents(whole, deadline)?;
        let beginning = match line.last() {
            Some(oldest) => oldest.parent.clone(),
            None => self.resolve(&whole.to, deadline)?.to_string(),
        };
        if beginning != self.resolve(&whole.from, deadline)?.as_str() {
            return Ok(Coverage::Others);
        }
        let mut known = HashSet::new();
        for stretch in stretches {
            known
                .extend(self.first_parents(stretch, deadline)?.into_iter().map(|link| link.commit));
        }
        let all = line.iter().all(|link| known.contains(&link.commit));
        Ok(if all { Coverage::All } else { Coverage::Others })
    }

    /// Whether anybody but the branches in `own` and the runner's backups may have a commit of
    /// `whole`. A stash does not count, nor what a remote has and was never fetched from it.
    pub fn reach(
        &self,
        whole: &Stretch,
        own: &[&str],
        deadline: Instant,
    ) -> Result<Reach, VcsError> {
        // Who has any of them has the oldest.
        let line = self.first_parents(whole, deadline)?;
        let Some(oldest) = line.last() else { return Ok(Reach::OnlyHere) };
        let args = ["--format=%(refname)", "--contains", &oldest.commit];
        let output = GitCall::read(self, "for-each-ref").args(args).output(deadline)?;
        let output = String::from_utf8_lossy(&output);
        let is_own = |name: &str| {
            let branch = name.strip_prefix("refs/heads/");
            branch.is_some_and(|branch| own.contains(&branch))
                || name.starts_with("refs/ralph/")
                || name == "refs/stash"
        };
        Ok(if output.lines().all(is_own) { Reach::OnlyHere } else { Reach::Elsewhere })
    }

    /// Newest first, without `from` and everything it comes from.
    fn first_parents(&self, stretch: &Stretch, deadline: Instant) -> Result<Vec<Link>, VcsError> {
        let range = format!("{}..{}", stretch.from, stretch.to);
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
    /// Empty for a commit that has none.
    parent: String,
}
