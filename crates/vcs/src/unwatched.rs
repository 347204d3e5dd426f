//! Files that git was told not to look at, so that its status says nothing about them.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::PoisonError;
use std::time::Instant;

use bounded_read::read_file;
use git2::{IndexEntryExtendedFlag, IndexEntryFlag};
use sha2::{Digest as _, Sha256};

use crate::checkpoint::UnwatchedBefore;
use crate::git_call::{GitCall, zero_ended};
use crate::object_store::left_to_git;
use crate::repo_path::{OnDisk, RepoPath};
use crate::{VcsError, WorkTree};

/// Of a few hundred thousand files.
const LARGEST_INDEX: u64 = 64 * 1024 * 1024;

/// What an index with this digest says: git2 takes ten times as long to read one.
#[derive(Debug)]
pub(crate) struct IndexMarks {
    index: [u8; 32],
    marks: UnwatchedBefore,
}

impl WorkTree {
    /// Tracked files, named from the top of the work tree, of which git believes its index and not
    /// the disk: `assume-unchanged` or `skip-worktree` is set for them.
    pub fn unwatched(&self, deadline: Instant) -> Result<Vec<String>, VcsError> {
        let marks = self.unwatched_marks(deadline)?;
        Ok(marks.skipped.union(&marks.assumed).cloned().collect())
    }

    /// The same, by git's name for each of the two marks.
    pub fn unwatched_by_flag(
        &self,
        deadline: Instant,
    ) -> Result<[(&'static str, BTreeSet<String>); 2], VcsError> {
        let marks = self.unwatched_marks(deadline)?;
        Ok([("skip-worktree", marks.skipped), ("assume-unchanged", marks.assumed)])
    }

    pub(crate) fn unwatched_marks(&self, deadline: Instant) -> Result<UnwatchedBefore, VcsError> {
        match self.marks_in_index() {
            Some(marks) => Ok(marks),
            None => {
                left_to_git("marks in the index");
                self.listed_marks(deadline)
            }
        }
    }

    /// Lets git look at these again. Those that `skip-worktree` took off the disk, as a sparse checkout
    /// does, come back as the index has them: they were hidden and not deleted.
    pub fn watch<S: AsRef<str>>(&self, paths: &[S], deadline: Instant) -> Result<(), VcsError> {
        let skipped = self.unwatched_marks(deadline)?.skipped;
        let named: Vec<RepoPath> =
            paths.iter().map(|path| RepoPath(path.as_ref().to_owned())).collect();
        let names = zero_ended(&named);
        // git heeds only one of the two at a time.
        for flag in ["--no-assume-unchanged", "--no-skip-worktree"] {
            let call =
                || GitCall::write(self, "update-index").args([flag, "-z", "--stdin"]).input(&names);
            self.change_index(deadline, call)?.well("update-index")?;
        }
        let wanted: HashSet<&str> = paths.iter().map(AsRef::as_ref).collect();
        self.bring_back(skipped.into_iter().filter(|path| wanted.contains(&**path)), deadline)?;
        self.end_sparse_checkout(deadline)
    }

    /// Gives entries of the index a mark, such as `--skip-worktree`.
    pub(crate) fn mark(
        &self,
        flag: &str,
        paths: &[RepoPath],
        deadline: Instant,
    ) -> Result<(), VcsError> {
        if paths.is_empty() {
            return Ok(());
        }
        let names = zero_ended(paths);
        let args = [flag, "-z", "--stdin"];
        let call = || GitCall::write(self, "update-index").args(args).input(&names);
        self.change_index(deadline, call)?.well("update-index")
    }

    fn bring_back(
        &self,
        paths: impl Iterator<Item = String>,
        deadline: Instant,
    ) -> Result<(), VcsError> {
        let mut absent = Vec::new();
        for path in paths.map(RepoPath) {
            if self.obstacle(&path)?.is_none() && self.look(&path)? == OnDisk::Absent {
                absent.push(path);
            }
        }
        let names = zero_ended(&absent);
        let args = ["--quiet", "--index", "-z", "--stdin"];
        let call = || GitCall::write(self, "checkout-index").args(args).input(&names);
        self.change_index(deadline, call)?.well("checkout-index")
    }

    /// One that hides nothing any more would hide it all again with the next branch.
    fn end_sparse_checkout(&self, deadline: Instant) -> Result<(), VcsError> {
        let args = ["--type=bool", "--get", "core.sparseCheckout"];
        let set = GitCall::read(self, "config").args(args).output_if_yes(deadline)?;
        let is_on = set.is_some_and(|value| value.starts_with(b"true"));
        if !is_on || !self.unwatched(deadline)?.is_empty() {
            return Ok(());
        }
        let call = || Ok(GitCall::write(self, "sparse-checkout").args(["disable"]));
        self.change_index(deadline, call)?.well("sparse-checkout")
    }

    /// None if it is an index that only git reads: one of several files, with whole folders as entries, or damaged.
    pub(crate) fn marks_in_index(&self) -> Option<UnwatchedBefore> {
        let file = self.git_dir.join("index");
        let digest = || Some(Sha256::digest(read_file(&file, LARGEST_INDEX).ok()?).into());
        let index = digest()?;
        let known = self.index_marks.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.as_ref().filter(|known| known.index == index) {
            return Some(known.marks.clone());
        }
        let marks = Self::read_marks(&file)?;
        // What git2 read may be newer.
        if digest() == Some(index) {
            *known = Some(IndexMarks { index, marks: marks.clone() });
        }
        Some(marks)
    }

    fn read_marks(file: &Path) -> Option<UnwatchedBefore> {
        let mut marks = UnwatchedBefore::default();
        for entry in git2::Index::open(file).ok()?.iter() {
            let name = || RepoPath::new(&entry.path).0;
            if entry.flags_extended & IndexEntryExtendedFlag::SKIP_WORKTREE.bits() != 0 {
                marks.skipped.insert(name());
            }
            if entry.flags & IndexEntryFlag::VALID.bits() != 0 {
                marks.assumed.insert(name());
            }
        }
        Some(marks)
    }

    pub(crate) fn listed_marks(&self, deadline: Instant) -> Result<UnwatchedBefore, VcsError> {
        let output = GitCall::read(self, "ls-files").args(["-v", "-z"]).output(deadline)?;
        let mut marks = UnwatchedBefore::default();
        for entry in output.split(|byte| *byte == 0) {
            let [letter, b' ', path @ ..] = entry else { continue };
            if letter.is_ascii_lowercase() {
                marks.assumed.insert(RepoPath::new(path).0);
            }
            if letter.eq_ignore_ascii_case(&b'S') {
                marks.skipped.insert(RepoPath::new(path).0);
            }
        }
        Ok(marks)
    }
}
