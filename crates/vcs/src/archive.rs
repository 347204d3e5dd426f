//! Branches that nobody works on any more, kept as tags.

use std::time::Instant;

use crate::git_call::GitCall;
use crate::refs::{Place, Refs};
use crate::{CommitId, VcsError, WorkTree};

/// More branches of one name than anybody archives.
const MOST_OF_ONE_NAME: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Archived {
    /// Under this tag; the branch is gone.
    As(String),
    /// In this work tree or another one. Nothing was done.
    CheckedOut,
    /// There is no such branch.
    Absent,
}

impl WorkTree {
    /// Turns a branch into tag `tag`, or `tag-2` and so on where that is another commit's.
    pub fn archive_branch(
        &self,
        branch: &str,
        tag: &str,
        deadline: Instant,
    ) -> Result<Archived, VcsError> {
        crate::refuse_invalid_branch(branch)?;
        let branch = format!("refs/heads/{branch}");
        let Some(found) = self.branch_at(&branch, deadline)? else {
            return Ok(Archived::Absent);
        };
        if found.is_checked_out {
            return Ok(Archived::CheckedOut);
        }
        // The tag comes first: at no time is there no name for the commit.
        let tags = self.refs("refs/tags/", deadline)?;
        let name = free_name(&tags, tag, &found.commit)
            .ok_or_else(|| VcsError::NameTaken { name: tag.to_owned() })?;
        let full_name = format!("refs/tags/{name}");
        if tags.at(&full_name).is_none() {
            self.create_ref(&full_name, &found.commit, deadline)?;
        }
        // Not if it has another commit by now.
        let args = ["-d", &branch, found.commit.as_str()];
        GitCall::write(self, "update-ref").args(args).output(deadline)?;
        Ok(Archived::As(name))
    }

    fn branch_at(&self, branch: &str, deadline: Instant) -> Result<Option<Found>, VcsError> {
        let args = ["--format=%(refname) %(objectname) %(worktreepath)", branch];
        let output = GitCall::read(self, "for-each-ref").args(args).output(deadline)?;
        let output = String::from_utf8_lossy(&output);
        // git also lists the branches in a folder of that name.
        let of_branch = |line: &str| Some(line.strip_prefix(branch)?.strip_prefix(' ')?.to_owned());
        let Some(facts) = output.lines().find_map(of_branch) else { return Ok(None) };
        let (commit, folder) = facts.split_once(' ').unwrap_or((&facts, ""));
        let unreadable = |_| VcsError::Unreadable { command: "for-each-ref" };
        let commit = CommitId::new(commit).map_err(unreadable)?;
        Ok(Some(Found { commit, is_checked_out: !folder.is_empty() }))
    }
}

struct Found {
    commit: CommitId,
    is_checked_out: bool,
}

/// The first that is free, or has this commit already.
fn free_name(tags: &Refs, tag: &str, commit: &CommitId) -> Option<String> {
    let numbered = (2..=MOST_OF_ONE_NAME).map(|number| format!("{tag}-{number}"));
    let mut names = std::iter::once(tag.to_owned()).chain(numbered);
    names.find(|name| match tags.place(&format!("refs/tags/{name}")) {
        Place::Free => true,
        Place::At(found) => found == commit.as_str(),
        Place::NoRoom => false,
    })
}
