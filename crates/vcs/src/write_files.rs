//! Lets git write files from the index to the work tree.

use std::collections::{HashSet, VecDeque};
use std::time::Instant;

use crate::attributes_changed::is_attributes;
use crate::git_call::{names, zero_ended};
use crate::removal::open_up;
use crate::repo_path::RepoPath;
use crate::target::Target;
use crate::{NotRestored, NotRestoredReason, RolledBack, VcsError, WorkTree};

/// Enough to isolate dozens of unwritable files among thousands.
const MOST_ATTEMPTS: usize = 1000;

impl WorkTree {
    /// Returns the written files.
    pub(crate) fn write_files(
        &self,
        target: &Target<'_>,
        rolled: &mut RolledBack,
        deadline: Instant,
    ) -> Result<Vec<RepoPath>, VcsError> {
        let mut written = self.stat_dirty(target, deadline)?;
        written.retain(|name| !target.is_unwatched(name));
        self.open_folders(&written);
        // git applies `.gitattributes` when it writes the other files.
        let is_first = |path: &&RepoPath| is_attributes(path);
        let (attributes, others): (Vec<_>, Vec<_>) = written.iter().partition(is_first);
        for batch in [attributes, others] {
            self.check_out(&batch, target, deadline)?;
        }
        if !written.is_empty() {
            let mut remaining = self.stat_dirty(target, deadline)?;
            remaining.retain(|name| !target.is_unwatched(name));
            rolled.left.extend(remaining.iter().map(|name| NotRestored {
                path: self.project_path(name),
                why: NotRestoredReason::CannotRestore,
            }));
        }
        Ok(written)
    }

    /// An unwritable file makes git skip others, so they are retried without it. Unwritten files
    /// stay different from the index.
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

    /// Tracked files whose stat data does not match the index.
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
