//! Files as the index has them, written to the work tree by git.

use std::collections::{HashSet, VecDeque};
use std::time::Instant;

use crate::git_call::names;
use crate::removal::open_up;
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
    ) -> Result<Vec<Vec<u8>>, VcsError> {
        let mut written = self.stat_dirty(target, deadline)?;
        written.retain(|name| !target.is_unwatched(name));
        self.open_folders(&written);
        // By these, git decides how the others are written.
        let is_first = |name: &&Vec<u8>| name.ends_with(b".gitattributes");
        let (attributes, others): (Vec<_>, Vec<_>) = written.iter().partition(is_first);
        for batch in [attributes, others] {
            self.check_out(&batch, target, deadline)?;
        }
        if !written.is_empty() {
            let mut remaining = self.stat_dirty(target, deadline)?;
            remaining.retain(|name| !target.is_unwatched(name));
            rolled.left.extend(remaining.iter().map(|name| Left {
                path: self.prefix.relative(name),
                why: WhyLeft::CannotRestore,
            }));
        }
        Ok(written)
    }

    /// What git cannot write keeps it from noting the others, or even from writing them: they are tried
    /// again without it. What was not written stays different from the index.
    fn check_out(
        &self,
        names: &[&Vec<u8>],
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
            let input: Vec<u8> =
                batch.iter().flat_map(|name| name.iter().copied().chain([0])).collect();
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

    fn open_folders(&self, names: &[Vec<u8>]) {
        let mut seen = HashSet::new();
        for name in names {
            let name = String::from_utf8_lossy(name);
            for (slash, _) in name.match_indices('/') {
                if seen.insert(name[..slash].to_owned()) {
                    open_up(&self.top.join(&name[..slash]));
                }
            }
        }
    }

    /// Tracked files of which git cannot tell by a look that they are as the index has them.
    fn stat_dirty(&self, target: &Target<'_>, deadline: Instant) -> Result<Vec<Vec<u8>>, VcsError> {
        let args = ["--name-only", "-z", "--no-renames", "--ignore-submodules=all"];
        let call = target.git(self, "diff-files").args(args);
        Ok(names(&call.output(deadline)?))
    }
}
