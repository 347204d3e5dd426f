//! Files whose content two commits share, and that are written another way by each: line endings and
//! filters come from `.gitattributes`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use crate::changes::Difference;
use crate::git_call::{GitCall, names};
use crate::index::ScratchIndex;
use crate::repo_path::RepoPath;
use crate::{CommitId, VcsError, WorkTree};

pub(crate) fn is_attributes(path: &RepoPath) -> bool {
    path.0.rsplit('/').next() == Some(".gitattributes")
}

impl WorkTree {
    /// Files that are as `was` has them, and by the attributes of `now` would count as changed. A git
    /// that knows attributes only from the disk finds none.
    pub(crate) fn written_otherwise(
        &self,
        was: &CommitId,
        now: &CommitId,
        differences: &BTreeMap<RepoPath, Difference>,
        deadline: Instant,
    ) -> Result<Vec<RepoPath>, VcsError> {
        if !differences.keys().any(is_attributes) {
            return Ok(Vec::new());
        }
        let before = self.changed_by_attributes_of(was, deadline)?;
        let after = self.changed_by_attributes_of(now, deadline)?;
        let is_new = |path: &&RepoPath| !before.contains(path) && !differences.contains_key(path);
        Ok(after.iter().filter(is_new).cloned().collect())
    }

    /// Whatever the index knows of the files was seen with other attributes, so all are read anew.
    fn changed_by_attributes_of(
        &self,
        commit: &CommitId,
        deadline: Instant,
    ) -> Result<BTreeSet<RepoPath>, VcsError> {
        let scratch = ScratchIndex::new(self, Some(commit), deadline)?;
        let apply = |call: GitCall| scratch.apply(call).env("GIT_ATTR_SOURCE", commit.as_str());
        // It ends with 1 if something is changed.
        let refresh = GitCall::write(self, "update-index").args(["-q", "--refresh"]);
        apply(refresh).answer(deadline)?;
        let args = ["--name-only", "-z", "--ignore-submodules=all"];
        let changed = apply(GitCall::read(self, "diff-files").args(args)).output(deadline)?;
        Ok(names(&changed).into_iter().collect())
    }
}
