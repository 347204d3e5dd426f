//! The branch that a run works on, and the rules for branch names. Resolves conflicts that block
//! creating or checking out a branch: names that exclude each other, and other work trees. Archives
//! branches as tags.

use std::time::Instant;

use crate::git_call::GitCall;
use crate::path_text::{from_bytes, os_string, to_bytes};
use crate::refs::{RefState, Refs, excludes};
use crate::refs_on_disk::{Reference, Unclear, is_ref_name};
use crate::{CommitId, Result, VcsError, WorkTree};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchPrepared {
    AlreadyThere,
    CheckedOut,
    Created,
}

const MOST_OF_ONE_NAME: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Archived {
    /// Archived under this tag; the branch is deleted.
    As(String),
    /// Checked out in this work tree or another one. Nothing was changed.
    CheckedOut,
    Absent,
}

struct Branch {
    name: String,
    commit: CommitId,
    /// The work tree that has it checked out, if any.
    folder: String,
}

impl WorkTree {
    /// Stays on branch `name`, switches to it, or creates it at HEAD.
    ///
    /// Uncommitted changes come along; git refuses if they conflict. Before the first commit, HEAD
    /// just points to the new name.
    pub fn prepare_branch(&self, name: &str, deadline: Instant) -> Result<BranchPrepared> {
        self.change_branch(name, &["--no-guess"], deadline)
    }

    /// Like `prepare_branch`, even if another work tree has the branch checked out.
    pub fn take_branch(&self, name: &str, deadline: Instant) -> Result<BranchPrepared> {
        self.change_branch(name, &["--no-guess", "--ignore-other-worktrees"], deadline)
    }

    fn change_branch(
        &self,
        name: &str,
        flags: &[&str],
        deadline: Instant,
    ) -> Result<BranchPrepared> {
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
    pub fn branch_tip(&self, name: &str, deadline: Instant) -> Result<Option<CommitId>> {
        self.rev_parse(&format!("refs/heads/{name}^{{commit}}"), deadline)
    }

    /// The local main branch: the one that `origin/HEAD` names, else `main` or `master`. `None` if
    /// none exists.
    pub fn default_branch(&self, deadline: Instant) -> Result<Option<String>> {
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
    pub fn symbolic_target(&self, name: &str, deadline: Instant) -> Result<Option<String>> {
        self.leads_to(&format!("refs/heads/{name}"), deadline)
    }

    fn leads_to(&self, name: &str, deadline: Instant) -> Result<Option<String>> {
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
    ) -> Result<()> {
        let args = ["--no-deref", "-m", "ralph: as it was", reference, commit.as_str()];
        GitCall::write(self, "update-ref").args(args).run(deadline)
    }

    pub(crate) fn is_on_branch(&self, name: &str, deadline: Instant) -> Result<bool> {
        let target = self.leads_to("HEAD", deadline)?;
        Ok(target.is_some_and(|target| target == format!("refs/heads/{name}")))
    }

    fn branch_exists(&self, name: &str, deadline: Instant) -> Result<bool> {
        let branch = format!("refs/heads/{name}");
        match self.reference(&branch) {
            Ok(found) => Ok(found != Reference::Absent),
            Err(Unclear) => {
                let call = GitCall::read(self, "show-ref").args(["--verify", "--quiet", &branch]);
                Ok(call.output_if_yes(deadline)?.is_some())
            }
        }
    }

    fn switch(&self, args: &[&str], name: &str, deadline: Instant) -> Result<()> {
        let git = || GitCall::write(self, "switch");
        let call = || Ok(git().args(["--quiet"]).args(args));
        let answer = self.change_index(deadline, call)?;
        if answer.status.success() || self.is_on_branch(name, deadline)? {
            return Ok(());
        }
        let message = answer.error_lines().collect::<Vec<_>>().join("\n");
        Err(VcsError::BranchRefused { name: name.to_owned(), message })
    }

    /// Frees the name `name`: each conflicting branch becomes `refs/ralph/<under>/<its name>`.
    /// Returns their names. A branch checked out in another work tree stays; if it is checked out
    /// here, HEAD becomes detached.
    pub fn free_branch_name(
        &self,
        name: &str,
        under: &str,
        deadline: Instant,
    ) -> Result<Vec<String>> {
        let mut moved = Vec::new();
        for branch in self.branches(deadline)? {
            let is_here = self.is_on_branch(&branch.name, deadline)?;
            if !excludes(&branch.name, name) || !(is_here || branch.folder.is_empty()) {
                continue;
            }
            self.backup_ref(&format!("{under}/{}", branch.name), &branch.commit, deadline)?;
            if is_here {
                let args = ["--no-deref", "HEAD", branch.commit.as_str()];
                GitCall::write(self, "update-ref").args(args).output(deadline)?;
            }
            self.delete_branch(&branch, deadline)?;
            moved.push(branch.name);
        }
        Ok(moved)
    }

    /// The folder of a work tree that has branch `name` checked out.
    pub fn work_tree_on(&self, name: &str, deadline: Instant) -> Result<Option<String>> {
        let branches = self.branches(deadline)?.into_iter();
        let mut folders = branches.filter(|branch| branch.name == name).map(|found| found.folder);
        Ok(folders.next().filter(|folder| !folder.is_empty()))
    }

    /// Turns a branch into `tag`, or `tag-2` and so on if the name is taken by another commit.
    pub fn archive_branch(&self, branch: &str, tag: &str, deadline: Instant) -> Result<Archived> {
        crate::refuse_invalid_branch(branch)?;
        let Some(found) = self.branches(deadline)?.into_iter().find(|it| it.name == branch) else {
            return Ok(Archived::Absent);
        };
        if !found.folder.is_empty() {
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
        self.delete_branch(&found, deadline)?;
        Ok(Archived::As(name))
    }

    /// Fails if the branch has moved meanwhile.
    fn delete_branch(&self, branch: &Branch, deadline: Instant) -> Result<()> {
        let name = os_string(&to_bytes(&format!("refs/heads/{}", branch.name)));
        let call = GitCall::write(self, "update-ref").args(["-d"]).args([name]);
        call.args([branch.commit.as_str()]).run(deadline)
    }

    fn branches(&self, deadline: Instant) -> Result<Vec<Branch>> {
        let args = ["--format=%(refname:lstrip=2) %(objectname) %(worktreepath)", "refs/heads/"];
        let output = GitCall::read(self, "for-each-ref").args(args).output(deadline)?;
        let branches = from_bytes(&output);
        let branches = branches.lines().filter_map(|line| {
            let mut words = line.splitn(3, ' ');
            let (name, commit) = (words.next()?.to_owned(), CommitId::new(words.next()?).ok()?);
            Some(Branch { name, commit, folder: words.next().unwrap_or_default().to_owned() })
        });
        Ok(branches.collect())
    }
}

/// The rules of `git check-ref-format --branch`, without names that git expands.
pub fn is_branch_name(name: &str) -> bool {
    let is_expanded = name.starts_with('-') || matches!(name, "@" | "HEAD");
    is_ref_name(name) && !name.contains('*') && !is_expanded
}

pub fn refuse_invalid_branch(name: &str) -> Result<()> {
    if is_branch_name(name) {
        return Ok(());
    }
    Err(VcsError::InvalidBranch { name: name.to_owned() })
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::WorkTree;
    use crate::git_call::GitCall;

    #[test]
    fn accepts_the_names_that_git_accepts() {
        let dir = tempfile::tempdir().unwrap();
        test_repo::init(dir.path());
        let tree = WorkTree::open(dir.path()).unwrap();
        let git_takes = |name: &str| {
            let call = GitCall::read(&tree, "check-ref-format").args(["--branch", name]);
            call.answer(Instant::now() + Duration::from_secs(10)).unwrap().status.success()
        };
        for name in ["main", "feature/x-1", "größe", "a.b", "a@b", "x/HEAD", "x/@", "a\u{85}b"] {
            assert!(is_branch_name(name) && git_takes(name), "{name}");
        }
        for name in [
            "", "a b", "a..b", "-f", "a.", "/a", "a/", "a//b", ".a", "a/.b", "x.lock", "x.lock/y",
            "a@{1}", "HEAD", "a~1", "a^", "a:b", "a?", "a*", "a[b", "a\\b", "a\nb", "a\u{7f}b",
        ] {
            assert!(!is_branch_name(name) && !git_takes(name), "{name:?}");
        }
        // git would create it and then read it as HEAD.
        assert!(!is_branch_name("@"));
    }
}
