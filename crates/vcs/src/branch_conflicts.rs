//! Resolves conflicts that block creating or checking out a branch: branch names that exclude each
//! other, and other work trees.

use std::time::Instant;

use crate::git_call::GitCall;
use crate::path_text::{from_bytes, os_string, to_bytes};
use crate::{CommitId, VcsError, WorkTree};

struct Branch {
    name: String,
    commit: CommitId,
    /// The work tree that has it checked out, if any.
    folder: String,
}

impl WorkTree {
    /// Frees the name `name`: each conflicting branch becomes `refs/ralph/<under>/<its name>`.
    /// Returns their names. A branch checked out in another work tree stays; if it is checked out
    /// here, HEAD becomes detached.
    pub fn free_branch_name(
        &self,
        name: &str,
        under: &str,
        deadline: Instant,
    ) -> Result<Vec<String>, VcsError> {
        let mut moved = Vec::new();
        for branch in self.branches(deadline)? {
            let is_here = self.is_on_branch(&branch.name, deadline)?;
            if !conflicts(&branch.name, name) || !(is_here || branch.folder.is_empty()) {
                continue;
            }
            self.backup_ref(&format!("{under}/{}", branch.name), &branch.commit, deadline)?;
            if is_here {
                let args = ["--no-deref", "HEAD", branch.commit.as_str()];
                GitCall::write(self, "update-ref").args(args).output(deadline)?;
            }
            // Fails if the branch has moved meanwhile.
            let name = os_string(&to_bytes(&format!("refs/heads/{}", branch.name)));
            let call = GitCall::write(self, "update-ref").args(["-d"]).args([name]);
            call.args([branch.commit.as_str()]).output(deadline)?;
            moved.push(branch.name);
        }
        Ok(moved)
    }

    /// The folder of a work tree that has branch `name` checked out.
    pub fn work_tree_on(&self, name: &str, deadline: Instant) -> Result<Option<String>, VcsError> {
        let branches = self.branches(deadline)?.into_iter();
        let mut folders = branches.filter(|branch| branch.name == name).map(|found| found.folder);
        Ok(folders.next().filter(|folder| !folder.is_empty()))
    }

    fn branches(&self, deadline: Instant) -> Result<Vec<Branch>, VcsError> {
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

/// `a` and `a/b` exclude each other.
fn conflicts(other: &str, name: &str) -> bool {
    let is_inside = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
    };
    is_inside(other, name) || is_inside(name, other)
}
