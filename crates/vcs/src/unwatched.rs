//! Handles files that `git status` skips because of index flags.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::PoisonError;
use std::time::Instant;

use bounded_read::read_file;
use git2::{IndexEntryExtendedFlag, IndexEntryFlag};
use sha2::{Digest as _, Sha256};

use crate::checkpoint::UnwatchedFiles;
use crate::git_call::{GitCall, zero_ended};
use crate::object_store::left_to_git;
use crate::repo_path::{OnDisk, RepoPath};
use crate::{Result, WorkTree};

/// Enough for a few hundred thousand files.
const LARGEST_INDEX: u64 = 64 * 1024 * 1024;

/// The flags of an index with this digest; parsing with git2 is ten times slower.
#[derive(Debug)]
pub(crate) struct IndexFlags {
    index: [u8; 32],
    flags: UnwatchedFiles,
}

impl WorkTree {
    /// Tracked files, from the top of the work tree, for which git trusts the index instead of the
    /// disk: `assume-unchanged` or `skip-worktree` is set.
    pub fn unwatched(&self, deadline: Instant) -> Result<Vec<String>> {
        let flags = self.unwatched_flags(deadline)?;
        Ok(flags.skipped.union(&flags.assumed).cloned().collect())
    }

    /// Like `unwatched`, grouped by git's name of the flag.
    pub fn unwatched_by_flag(
        &self,
        deadline: Instant,
    ) -> Result<[(&'static str, BTreeSet<String>); 2]> {
        let flags = self.unwatched_flags(deadline)?;
        Ok([("skip-worktree", flags.skipped), ("assume-unchanged", flags.assumed)])
    }

    pub(crate) fn unwatched_flags(&self, deadline: Instant) -> Result<UnwatchedFiles> {
        match self.flags_in_index() {
            Some(flags) => Ok(flags),
            None => {
                left_to_git("flags in the index");
                self.listed_flags(deadline)
            }
        }
    }

    /// Clears the flags. Files that `skip-worktree` removed from disk, as in a sparse checkout, are
    /// restored from the index.
    pub fn watch<S: AsRef<str>>(&self, paths: &[S], deadline: Instant) -> Result<()> {
        let skipped = self.unwatched_flags(deadline)?.skipped;
        let named: Vec<RepoPath> =
            paths.iter().map(|path| RepoPath(path.as_ref().to_owned())).collect();
        // git accepts only one of the two at a time.
        for flag in ["--no-assume-unchanged", "--no-skip-worktree"] {
            self.index().mark(&[flag], &named, deadline)?;
        }
        self.restore_skipped(named.into_iter().filter(|path| skipped.contains(&path.0)), deadline)?;
        self.end_sparse_checkout(deadline)
    }

    fn restore_skipped(
        &self,
        paths: impl Iterator<Item = RepoPath>,
        deadline: Instant,
    ) -> Result<()> {
        let mut absent = Vec::new();
        for path in paths {
            if self.obstacle(&path)?.is_none() && self.look(&path)? == OnDisk::Absent {
                absent.push(path);
            }
        }
        let names = zero_ended(&absent);
        let args = ["--quiet", "--index", "-z", "--stdin"];
        let call = || GitCall::write(self, "checkout-index").args(args).input(&names);
        self.change_index(deadline, call)?.check("checkout-index")
    }

    /// Otherwise the sparse checkout would hide the files again on the next branch switch.
    fn end_sparse_checkout(&self, deadline: Instant) -> Result<()> {
        if !self.is_on("core.sparseCheckout", deadline)? || !self.unwatched(deadline)?.is_empty() {
            return Ok(());
        }
        let call = || Ok(GitCall::write(self, "sparse-checkout").args(["disable"]));
        self.change_index(deadline, call)?.check("sparse-checkout")
    }

    /// `None` if only git can read the index: split, sparse or damaged.
    pub(crate) fn flags_in_index(&self) -> Option<UnwatchedFiles> {
        let file = self.git_dir.join("index");
        let digest = || Some(Sha256::digest(read_file(&file, LARGEST_INDEX).ok()?).into());
        let index = digest()?;
        let known = self.index_flags.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.as_ref().filter(|known| known.index == index) {
            return Some(known.flags.clone());
        }
        let flags = Self::read_flags(&file)?;
        // git2 may have read a newer index.
        if digest() == Some(index) {
            *known = Some(IndexFlags { index, flags: flags.clone() });
        }
        Some(flags)
    }

    fn read_flags(file: &Path) -> Option<UnwatchedFiles> {
        let mut flags = UnwatchedFiles::default();
        for entry in git2::Index::open(file).ok()?.iter() {
            let name = || RepoPath::new(&entry.path).0;
            if entry.flags_extended & IndexEntryExtendedFlag::SKIP_WORKTREE.bits() != 0 {
                flags.skipped.insert(name());
            }
            if entry.flags & IndexEntryFlag::VALID.bits() != 0 {
                flags.assumed.insert(name());
            }
        }
        Some(flags)
    }

    pub(crate) fn listed_flags(&self, deadline: Instant) -> Result<UnwatchedFiles> {
        let output = GitCall::read(self, "ls-files").args(["-v", "-z"]).output(deadline)?;
        let mut flags = UnwatchedFiles::default();
        for entry in output.split(|byte| *byte == 0) {
            let [letter, b' ', path @ ..] = entry else { continue };
            if letter.is_ascii_lowercase() {
                flags.assumed.insert(RepoPath::new(path).0);
            }
            if letter.eq_ignore_ascii_case(&b'S') {
                flags.skipped.insert(RepoPath::new(path).0);
            }
        }
        Ok(flags)
    }
}
