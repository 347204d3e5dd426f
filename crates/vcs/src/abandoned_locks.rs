//! Removes lock files that a killed git left behind, because they block every later git.
//!
//! A lock is removed only if no process holds it, which can be determined on Linux only.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::{Result, VcsError, WorkTree};

/// Locks of one work tree.
const OWN: [&str; 4] = ["index.lock", "HEAD.lock", "ORIG_HEAD.lock", "config.worktree.lock"];

/// Locks shared by all work trees of a repository.
const SHARED: [&str; 3] = ["packed-refs.lock", "config.lock", "shallow.lock"];

/// Folders with refs.
const NAMES: [&str; 2] = ["refs", "reftable"];

impl WorkTree {
    /// Removes the locks that no running git holds and returns their names: those of this work tree
    /// and the shared ones. Waits until `deadline` for a git that still works here, and leaves its
    /// locks.
    ///
    /// Call it only after every program of the runner in this work tree has ended.
    pub fn remove_abandoned_locks(&self, deadline: Instant) -> Result<Vec<PathBuf>> {
        let (own, common) = (&self.git_dir, &self.common_dir);
        let mut locks: Vec<PathBuf> = OWN.iter().map(|name| own.join(name)).collect();
        let mut removed = remove(&locks, std::slice::from_ref(&self.top), deadline)?;
        locks = SHARED.iter().map(|name| common.join(name)).collect();
        for names in NAMES {
            find_locks(&common.join(names), &mut locks);
        }
        // Work trees are listed only if a lock exists.
        locks.retain(|lock| lock.symlink_metadata().is_ok());
        if !locks.is_empty() {
            removed.extend(remove(&locks, &work_trees(common), deadline)?);
        }
        Ok(removed)
    }
}

/// `places` are the folders in which a git that holds one of the locks runs.
fn remove(locks: &[PathBuf], places: &[PathBuf], deadline: Instant) -> Result<Vec<PathBuf>> {
    let mut removed = Vec::new();
    for lock in locks {
        if system::is_abandoned(lock, places, deadline) {
            match std::fs::remove_file(lock) {
                Ok(()) => removed.push(lock.clone()),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(VcsError::Disk { path: lock.clone(), error }),
            }
        }
    }
    Ok(removed)
}

/// No file of git other than a lock ends in `.lock`.
fn find_locks(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            find_locks(&path, found);
        } else if path.extension().is_some_and(|end| end == "lock") {
            found.push(path);
        }
    }
}

/// Every work tree of the repository at `common`.
fn work_trees(common: &Path) -> Vec<PathBuf> {
    let linked = std::fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
    let dot_gits = linked.filter_map(|entry| {
        let link = std::fs::read_to_string(entry.path().join("gitdir")).ok()?;
        Some(entry.path().join(link.trim_end()))
    });
    let tops = std::iter::once(common.to_path_buf()).chain(dot_gits);
    let tops = tops.filter_map(|dot_git| dot_git.parent()?.canonicalize().ok());
    tops.chain([common.to_path_buf()]).collect()
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs::read_link;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, Instant};

    /// Poll interval.
    const PACE: Duration = Duration::from_millis(10);

    /// Whether the lock exists and no process holds it.
    pub(super) fn is_abandoned(lock: &Path, places: &[PathBuf], deadline: Instant) -> bool {
        loop {
            let Some(found) = identity(lock) else { return false };
            // An existing lock cannot be taken, so its holder is one of the running processes.
            if !is_held(lock, places) {
                return identity(lock) == Some(found);
            }
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(PACE);
        }
    }

    fn identity(lock: &Path) -> Option<(u64, i64, i64)> {
        let found = lock.symlink_metadata().ok()?;
        Some((found.ino(), found.ctime(), found.ctime_nsec()))
    }

    /// git runs in the top folder of its work tree and may close the lock while a hook runs. Other
    /// programs keep it open.
    fn is_held(lock: &Path, places: &[PathBuf]) -> bool {
        let Ok(processes) = std::fs::read_dir("/proc") else { return true };
        processes.flatten().any(|entry| {
            let process = entry.path();
            (is_git(&process) && is_inside(&process.join("cwd"), places))
                || has_open(&process, lock)
        })
    }

    fn is_git(process: &Path) -> bool {
        let name = std::fs::read_to_string(process.join("comm")).unwrap_or_default();
        let words = std::fs::read(process.join("cmdline")).unwrap_or_default();
        // The fsmonitor daemon runs for days and takes no locks.
        let watches = String::from_utf8_lossy(&words).contains("--daemon");
        // A zombie has no command line and no lock.
        name.starts_with("git") && !words.is_empty() && !watches
    }

    fn is_inside(link: &Path, folders: &[PathBuf]) -> bool {
        // The folder of another user's process cannot be read, so it may be here.
        read_link(link).map_or_else(
            |error| error.kind() != std::io::ErrorKind::NotFound,
            |place| folders.iter().any(|folder| place.starts_with(folder)),
        )
    }

    fn has_open(process: &Path, lock: &Path) -> bool {
        let Ok(files) = std::fs::read_dir(process.join("fd")) else { return false };
        files.flatten().any(|file| read_link(file.path()).is_ok_and(|open| open == lock))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::path::{Path, PathBuf};
    use std::time::Instant;

    /// Not supported on this system.
    pub(super) fn is_abandoned(_lock: &Path, _places: &[PathBuf], _deadline: Instant) -> bool {
        false
    }
}
