//! Changes to the index, and waiting for its lock.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::git::GitOutput;
use crate::git_call::{GitCall, zero_ended};
use crate::repo_path::{Entries, RepoPath};
use crate::tree_object::Entry;
use crate::{Result, TreeId, VcsError, WorkTree};

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

/// The index of a work tree, or a temporary one, so that changes the user staged stay out of a
/// commit.
#[derive(Debug)]
pub(crate) struct Index<'t> {
    tree: &'t WorkTree,
    temporary: Option<TempDir>,
}

/// Entries in the format of `git update-index --index-info`.
#[derive(Debug, Default)]
pub(crate) struct IndexInfo {
    lines: Vec<u8>,
    /// Zeros in the length of the repository's hashes.
    no_hash: String,
}

impl WorkTree {
    pub(crate) fn index(&self) -> Index<'_> {
        Index { tree: self, temporary: None }
    }

    /// Runs a git that locks the index, and retries when another git releases its lock.
    pub(crate) fn change_index(
        &self,
        deadline: Instant,
        call: impl Fn() -> Result<GitCall>,
    ) -> Result<GitOutput> {
        self.change_index_pausing(deadline, call, &mut std::thread::sleep)
    }

    fn change_index_pausing(
        &self,
        deadline: Instant,
        call: impl Fn() -> Result<GitCall>,
        pause: &mut dyn FnMut(Duration),
    ) -> Result<GitOutput> {
        let lock = self.index_lock();
        let patience = deadline.min(Instant::now() + LOCK_PATIENCE);
        loop {
            let answer = call()?.answer(deadline)?;
            if !answer.stderr.contains("index.lock': File exists") {
                return Ok(answer);
            }
            while Instant::now() < patience && lock.exists() {
                pause(PACE);
            }
            if Instant::now() >= patience {
                return Err(VcsError::Locked { lock });
            }
        }
    }
}

impl<'t> Index<'t> {
    /// A temporary index with a commit or a tree, or an empty one.
    pub(crate) fn with(
        tree: &'t WorkTree,
        contents: Option<&str>,
        deadline: Instant,
    ) -> Result<Self> {
        let index = Self::temporary(tree)?;
        let call = GitCall::write(tree, "read-tree").args([contents.unwrap_or("--empty")]);
        index.apply(call).output(deadline)?;
        Ok(index)
    }

    /// A copy of the work tree's index.
    pub(crate) fn copied(tree: &'t WorkTree) -> Result<Self> {
        let (copy, path) = (Self::temporary(tree)?, tree.git_dir.join("index"));
        match copy.temporary.as_ref().map(|to| std::fs::copy(&path, to.path().join("index"))) {
            // Without an index, nothing is staged.
            Some(Err(error)) if error.kind() != ErrorKind::NotFound => {
                Err(VcsError::Disk { path, error })
            }
            _ => Ok(copy),
        }
    }

    fn temporary(tree: &'t WorkTree) -> Result<Self> {
        let folder = tempfile::tempdir().map_err(VcsError::NoTemporaryFile)?;
        Ok(Self { tree, temporary: Some(folder) })
    }

    /// Runs one git per non-empty side.
    pub(crate) fn stage(&self, staging: &Staging, deadline: Instant) -> Result<()> {
        self.mark(&["--force-remove"], &staging.gone, deadline)?;
        // `--remove` covers a file that disappears meanwhile.
        self.mark(&["--add", "--remove", "--replace"], &staging.present, deadline)
    }

    /// Calls `git update-index` with these flags for all paths.
    pub(crate) fn mark(&self, flags: &[&str], paths: &[RepoPath], deadline: Instant) -> Result<()> {
        self.update(&[flags, &["-z", "--stdin"]].concat(), &zero_ended(paths), deadline)
    }

    pub(crate) fn feed(&self, info: &IndexInfo, deadline: Instant) -> Result<()> {
        self.update(&["-z", "--index-info"], &info.lines, deadline)
    }

    fn update(&self, flags: &[&str], input: &[u8], deadline: Instant) -> Result<()> {
        if input.is_empty() {
            return Ok(());
        }
        let call = || GitCall::write(self.tree, "update-index").args(flags).input(input);
        let call = || call().map(|call| self.apply(call));
        self.tree.change_index(deadline, call)?.check("update-index")
    }

    pub(crate) fn write_tree(&self, deadline: Instant) -> Result<TreeId> {
        self.apply(GitCall::write(self.tree, "write-tree")).line(deadline).map(TreeId)
    }

    pub(crate) fn apply(&self, call: GitCall) -> GitCall {
        match &self.temporary {
            Some(folder) => call.env("GIT_INDEX_FILE", folder.path().join("index")),
            None => call,
        }
    }
}

impl IndexInfo {
    /// `hash` is any hash of the repository, for its length.
    pub(crate) fn like(hash: &str) -> Self {
        Self { lines: Vec::new(), no_hash: "0".repeat(hash.len()) }
    }

    /// Sets each path to its entry, or removes it if there is none.
    pub(crate) fn of<'p>(
        like: &str,
        paths: impl Iterator<Item = &'p RepoPath>,
        entries: &Entries,
    ) -> Self {
        let mut info = Self::like(like);
        // Removals first, so that new entries can take their place.
        let (present, gone): (Vec<_>, Vec<_>) = paths.partition(|path| entries.contains_key(*path));
        for path in gone.into_iter().chain(present) {
            info.set(path, entries.get(path));
        }
        info
    }

    /// Replaces a conflicting entry.
    pub(crate) fn set(&mut self, path: &RepoPath, entry: Option<&Entry>) {
        let (mode, hash) =
            entry.map_or(("0", &self.no_hash), |entry| (entry.mode_digits(), &entry.id.0));
        self.lines.extend_from_slice(format!("{mode} {hash}\t").as_bytes());
        self.lines.extend_from_slice(&path.bytes());
        self.lines.push(0);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

impl WorkTree {
    /// Every path in the index of the whole repository. Fails if the output exceeds the limit.
    pub fn tracked(&self, deadline: Instant) -> Result<Vec<String>> {
        Ok(self.indexed(deadline)?.iter().map(|path| self.project_path(path)).collect())
    }

    pub(crate) fn indexed(&self, deadline: Instant) -> Result<BTreeSet<RepoPath>> {
        GitCall::read(self, "ls-files").args(["-z"]).names(deadline)
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
