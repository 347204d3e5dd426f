//! Changes to the index, and waiting for its lock.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::entry::Entry;
use crate::git::GitOutput;
use crate::git_call::{GitCall, zero_ended};
use crate::repo_path::RepoPath;
use crate::{CommitId, TreeId, VcsError, WorkTree};

/// How long to wait for another git to release the index.
const LOCK_PATIENCE: Duration = Duration::from_secs(10);

/// Poll interval.
const PACE: Duration = Duration::from_millis(10);

/// Paths to stage as the work tree has them.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    pub(crate) gone: Vec<RepoPath>,
    pub(crate) present: Vec<RepoPath>,
}

/// A temporary index, so that changes the user staged stay out of a commit.
#[derive(Debug)]
pub(crate) struct ScratchIndex {
    folder: tempfile::TempDir,
}

/// Entries in the format of `git update-index --index-info`.
#[derive(Debug)]
pub(crate) struct IndexInfo {
    lines: Vec<u8>,
    /// Zeros in the length of the repository's hashes.
    no_hash: String,
}

impl WorkTree {
    pub(crate) fn feed(&self, info: &IndexInfo, deadline: Instant) -> Result<(), VcsError> {
        if info.is_empty() {
            return Ok(());
        }
        self.change_index(deadline, || info.call(self))?.check("update-index")
    }

    /// Stages in the work tree's own index.
    pub(crate) fn stage(&self, staging: &Staging, deadline: Instant) -> Result<(), VcsError> {
        for batch in staging.batches() {
            self.change_index(deadline, || batch.call(self))?.check("update-index")?;
        }
        Ok(())
    }

    /// Runs a git that locks the index, and retries when another git releases its lock.
    pub(crate) fn change_index(
        &self,
        deadline: Instant,
        call: impl Fn() -> Result<GitCall, VcsError>,
    ) -> Result<GitOutput, VcsError> {
        self.change_index_pausing(deadline, call, &mut std::thread::sleep)
    }

    fn change_index_pausing(
        &self,
        deadline: Instant,
        call: impl Fn() -> Result<GitCall, VcsError>,
        pause: &mut dyn FnMut(Duration),
    ) -> Result<GitOutput, VcsError> {
        let lock = self.git_dir.join("index.lock");
        let patience = deadline.min(Instant::now() + LOCK_PATIENCE);
        loop {
            let answer = call()?.answer(deadline)?;
            if !names_lock(&answer.stderr) {
                return Ok(answer);
            }
            wait_until_gone(&lock, patience, pause)?;
        }
    }
}

impl ScratchIndex {
    /// With the tree of `commit`, or empty before the first commit.
    pub(crate) fn new(
        tree: &WorkTree,
        commit: Option<&CommitId>,
        deadline: Instant,
    ) -> Result<Self, VcsError> {
        Self::holding(tree, commit.map_or("--empty", CommitId::as_str), deadline)
    }

    /// With a commit or a tree.
    pub(crate) fn holding(
        tree: &WorkTree,
        contents: &str,
        deadline: Instant,
    ) -> Result<Self, VcsError> {
        let folder = tempfile::tempdir().map_err(VcsError::NoTemporaryFile)?;
        let scratch = Self { folder };
        scratch.apply(GitCall::write(tree, "read-tree").args([contents])).output(deadline)?;
        Ok(scratch)
    }

    /// A copy of the work tree's index.
    pub(crate) fn copied(tree: &WorkTree) -> Result<Self, VcsError> {
        let folder = tempfile::tempdir().map_err(VcsError::NoTemporaryFile)?;
        let index = tree.git_dir.join("index");
        match std::fs::copy(&index, folder.path().join("index")) {
            // Nothing is staged.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(VcsError::Disk { path: index, error }),
            Ok(_) => {}
        }
        Ok(Self { folder })
    }

    pub(crate) fn stage(
        &self,
        tree: &WorkTree,
        staging: &Staging,
        deadline: Instant,
    ) -> Result<(), VcsError> {
        for batch in staging.batches() {
            self.apply(batch.call(tree)?).output(deadline)?;
        }
        Ok(())
    }

    pub(crate) fn feed(
        &self,
        tree: &WorkTree,
        info: &IndexInfo,
        deadline: Instant,
    ) -> Result<(), VcsError> {
        self.apply(info.call(tree)?).output(deadline).map(drop)
    }

    pub(crate) fn write_tree(
        &self,
        tree: &WorkTree,
        deadline: Instant,
    ) -> Result<TreeId, VcsError> {
        self.apply(GitCall::write(tree, "write-tree")).line(deadline).map(TreeId::new)
    }

    pub(crate) fn apply(&self, call: GitCall) -> GitCall {
        call.env("GIT_INDEX_FILE", self.folder.path().join("index"))
    }
}

impl IndexInfo {
    /// `hash` is any hash of the repository, for its length.
    pub(crate) fn like(hash: &str) -> Self {
        Self { lines: Vec::new(), no_hash: "0".repeat(hash.len()) }
    }

    /// Replaces a conflicting entry.
    pub(crate) fn put(&mut self, path: &RepoPath, entry: &Entry) {
        self.line(entry.mode(), entry.hash().to_owned(), path);
    }

    pub(crate) fn remove(&mut self, path: &RepoPath) {
        self.line("0", self.no_hash.clone(), path);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    fn line(&mut self, mode: &str, hash: String, path: &RepoPath) {
        self.lines.extend_from_slice(format!("{mode} {hash}\t").as_bytes());
        self.lines.extend_from_slice(&path.bytes());
        self.lines.push(0);
    }

    fn call(&self, tree: &WorkTree) -> Result<GitCall, VcsError> {
        GitCall::write(tree, "update-index").args(["-z", "--index-info"]).input(&self.lines)
    }
}

struct Batch<'a> {
    flags: &'static [&'static str],
    paths: &'a [RepoPath],
}

impl Staging {
    /// One git per non-empty side.
    fn batches(&self) -> impl Iterator<Item = Batch<'_>> {
        let gone = Batch { flags: &["--force-remove"], paths: &self.gone };
        // `--remove` covers a file that disappears meanwhile.
        let present = Batch { flags: &["--add", "--remove", "--replace"], paths: &self.present };
        [gone, present].into_iter().filter(|batch| !batch.paths.is_empty())
    }
}

impl Batch<'_> {
    fn call(&self, tree: &WorkTree) -> Result<GitCall, VcsError> {
        let names = zero_ended(self.paths);
        GitCall::write(tree, "update-index").args(self.flags).args(["-z", "--stdin"]).input(&names)
    }
}

fn names_lock(stderr: &str) -> bool {
    stderr.contains("index.lock': File exists")
}

fn wait_until_gone(
    lock: &Path,
    deadline: Instant,
    pause: &mut dyn FnMut(Duration),
) -> Result<(), VcsError> {
    loop {
        if Instant::now() >= deadline {
            return Err(VcsError::Locked { lock: PathBuf::from(lock) });
        }
        if !lock.exists() {
            return Ok(());
        }
        pause(PACE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_until_a_lock_is_released() {
        let dir = tempfile::tempdir().unwrap();
        test_repo::init_for_commits(dir.path());
        let tree = WorkTree::open(dir.path()).unwrap();
        let lock = dir.path().join(".git/index.lock");
        std::fs::write(&lock, "").unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        std::fs::write(dir.path().join("new"), "").unwrap();
        let call = || Ok(GitCall::write(&tree, "update-index").args(["--add", "new"]));
        let mut pauses = 0;
        let answer = tree.change_index_pausing(deadline, call, &mut |_| {
            pauses += 1;
            if pauses == 2 {
                std::fs::remove_file(&lock).unwrap();
            }
        });
        answer.unwrap().check("update-index").unwrap();
        assert_eq!(pauses, 2);
    }
}
