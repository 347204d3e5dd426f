//! Finds files that two commits store identically but check out differently, because
//! `.gitattributes` changed line endings or filters.

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
    /// Files that match `was` and would count as changed under the attributes of `now`. Empty for a
    /// git that reads attributes from disk only.
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

    /// The stat data in the index was recorded with other attributes, so all files are read again.
    fn changed_by_attributes_of(
        &self,
        commit: &CommitId,
        deadline: Instant,
    ) -> Result<BTreeSet<RepoPath>, VcsError> {
        let scratch = ScratchIndex::new(self, Some(commit), deadline)?;
        let apply = |call: GitCall| scratch.apply(call).env("GIT_ATTR_SOURCE", commit.as_str());
        // Exit code 1 means that some files changed.
        let refresh = GitCall::write(self, "update-index").args(["-q", "--refresh"]);
        apply(refresh).answer(deadline)?;
        let args = ["--name-only", "-z", "--ignore-submodules=all"];
        let changed = apply(GitCall::read(self, "diff-files").args(args)).output(deadline)?;
        Ok(names(&changed).into_iter().collect())
    }
}
