//! Archives branches as tags.

use std::time::Instant;

use crate::git_call::GitCall;
use crate::refs::{RefState, Refs};
use crate::{CommitId, VcsError, WorkTree};

const MOST_OF_ONE_NAME: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Archived {
    /// Archived under this tag; the branch is deleted.
    As(String),
    /// Checked out in this work tree or another one. Nothing was changed.
    CheckedOut,
    Absent,
}

impl WorkTree {
    /// Turns a branch into `tag`, or `tag-2` and so on if the name is taken by another commit.
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
        // The tag is created first, so the commit always has a ref.
        let tags = self.refs("refs/tags/", deadline)?;
        let name = free_name(&tags, tag, &found.commit)
            .ok_or_else(|| VcsError::NameTaken { name: tag.to_owned() })?;
        let full_name = format!("refs/tags/{name}");
        if tags.at(&full_name).is_none() {
            self.create_ref(&full_name, &found.commit, deadline)?;
        }
        // Fails if the branch has moved meanwhile.
        let args = ["-d", &branch, found.commit.as_str()];
        GitCall::write(self, "update-ref").args(args).output(deadline)?;
        Ok(Archived::As(name))
    }

    fn branch_at(&self, branch: &str, deadline: Instant) -> Result<Option<BranchState>, VcsError> {
        let args = ["--format=%(refname) %(objectname) %(worktreepath)", branch];
        let output = GitCall::read(self, "for-each-ref").args(args).output(deadline)?;
        let output = String::from_utf8_lossy(&output);
        // git also lists branches below that name.
        let of_branch = |line: &str| Some(line.strip_prefix(branch)?.strip_prefix(' ')?.to_owned());
        let Some(facts) = output.lines().find_map(of_branch) else { return Ok(None) };
        let (commit, folder) = facts.split_once(' ').unwrap_or((&facts, ""));
        let unreadable = |_| VcsError::Unreadable { command: "for-each-ref" };
        let commit = CommitId::new(commit).map_err(unreadable)?;
        Ok(Some(BranchState { commit, is_checked_out: !folder.is_empty() }))
    }
}

struct BranchState {
    commit: CommitId,
    is_checked_out: bool,
}

/// The first name that is free or already at this commit.
fn free_name(tags: &Refs, tag: &str, commit: &CommitId) -> Option<String> {
    let numbered = (2..=MOST_OF_ONE_NAME).map(|number| format!("{tag}-{number}"));
    let mut names = std::iter::once(tag.to_owned()).chain(numbered);
    names.find(|name| match tags.state(&format!("refs/tags/{name}")) {
        RefState::Free => true,
        RefState::At(found) => found == commit.as_str(),
        RefState::Conflict => false,
    })
}
