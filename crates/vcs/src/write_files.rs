//! Files as the index has them, written to the work tree by git.

use std::collections::{HashSet, VecDeque};
use std::time::Instant;

use crate::attributes_changed::is_attributes;
use crate::git_call::{names, zero_ended};
use crate::removal::open_up;
use crate::repo_path::RepoPath;
use crate::target::Target;
use crate::{Left, RolledBack, VcsError, WhyLeft, WorkTree};

/// Enough to find some dozens of files that cannot be written among thousands.
const MOST_ATTEMPTS: usize = 1000;

impl WorkTree {
    /// Returns what was written.
    pub(crate) fn write_files(
        &self,
        target: &Target<'_>,
        rolled: &mut RolledBack,
        deadline: Instant,
    ) -> Result<Vec<RepoPath>, VcsError> {
        let mut written = self.stat_dirty(target, deadline)?;
        written.retain(|name| !target.is_unwatched(name));
        self.open_folders(&written);
        // By these, git decides how the others are written.
        let is_first = |path: &&RepoPath| is_attributes(path);
        let (attributes, others): (Vec<_>, Vec<_>) = written.iter().partition(is_first);
        for batch in [attributes, others] {
            self.check_out(&batch, target, deadline)?;
        }
        if !written.is_empty() {
            let mut remaining = self.stat_dirty(target, deadline)?;
            remaining.retain(|name| !target.is_unwatched(name));
            rolled.left.extend(
                remaining
                    .iter()
                    .map(|name| Left { path: self.given(name), why: WhyLeft::CannotRestore }),
            );
        }
        Ok(written)
    }

    /// What git cannot write keeps it from noting the others, or even from writing them: they are tried
    /// again without it. What was not written stays different from the index.
    fn check_out(
        &self,
        names: &[&RepoPath],
        target: &Target<'_>,
        deadline: Instant,
    ) -> Result<(), VcsError> {
        let flags = ["--force", "--index", "--quiet", "-z", "--stdin"];
        let mut waiting = VecDeque::from([names]);
        let mut attempts = 0;
        while let Some(batch) = waiting.pop_front() {
            if batch.is_empty() {
                continue;
            }
            let input = zero_ended(batch.iter().copied());
            let answer = self.change_index(deadline, || {
                target.git(self, "checkout-index").writing().args(flags).input(&input)
            })?;
            attempts += 1;
            if !answer.status.success() && batch.len() > 1 && attempts < MOST_ATTEMPTS {
                let (first, second) = batch.split_at(batch.len() / 2);
                waiting.extend([first, second]);
            }
        }
        Ok(())
    }

    fn open_folders(&self, paths: &[RepoPath]) {
        let mut seen = HashSet::new();
        for folder in paths.iter().flat_map(RepoPath::above) {
            let place = self.place(&folder);
            if seen.insert(folder) {
                open_up(&place);
            }
        }
    }

    /// Tracked files of which git cannot tell by a look that they are as the index has them.
    fn stat_dirty(
        &self,
        target: &Target<'_>,
        deadline: Instant,
    ) -> Result<Vec<RepoPath>, VcsError> {
        let args = ["--name-only", "-z", "--no-renames", "--ignore-submodules=all"];
        let call = target.git(self, "diff-files").args(args);
        Ok(names(&call.output(deadline)?))
    }
}
