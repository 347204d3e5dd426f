//! Locks that a killed git left behind, and that would stop every git after it.
//!
//! Taken away only where it is known that nobody holds them, which is on Linux.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::{VcsError, WorkTree};

/// Of one work tree.
const OWN: [&str; 4] = ["index.lock", "HEAD.lock", "ORIG_HEAD.lock", "config.worktree.lock"];

/// Of all work trees of a repository.
const SHARED: [&str; 3] = ["packed-refs.lock", "config.lock", "shallow.lock"];

/// Folders of branches and other names.
const NAMES: [&str; 2] = ["refs", "reftable"];

impl WorkTree {
    /// Removes the locks that no living git holds, and names them: those of this work tree, and those
    /// that it shares with others, as on branches and settings. Waits until `deadline` for a git that
    /// still works here; what it holds then is left alone.
    ///
    /// Ask only when every program that worked here for the runner is gone.
    pub fn remove_abandoned_locks(&self, deadline: Instant) -> Result<Vec<PathBuf>, VcsError> {
        let (own, common) = (&self.git_dir, &self.common_dir);
        let mut locks: Vec<PathBuf> = OWN.iter().map(|name| own.join(name)).collect();
        let mut removed = remove(&locks, std::slice::from_ref(&self.top), deadline)?;
        locks = SHARED.iter().map(|name| common.join(name)).collect();
        for names in NAMES {
            find_locks(&common.join(names), &mut locks);
        }
        // Looking for work trees is worth it only if there is a lock.
        locks.retain(|lock| lock.symlink_metadata().is_ok());
        if !locks.is_empty() {
            removed.extend(remove(&locks, &work_trees(common), deadline)?);
        }
        Ok(removed)
    }
}

/// `places` are the folders in which a git would have to run to hold one of them.
fn remove(
    locks: &[PathBuf],
    places: &[PathBuf],
    deadline: Instant,
) -> Result<Vec<PathBuf>, VcsError> {
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

/// No name of git's ends like its locks do.
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

/// Every folder that works with the branches in `common`.
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

    /// Between two looks at a git that still works.
    const PACE: Duration = Duration::from_millis(10);

    /// Whether it is there, and nobody can hold it.
    pub(super) fn is_abandoned(lock: &Path, places: &[PathBuf], deadline: Instant) -> bool {
        loop {
            let Some(found) = identity(lock) else { return false };
            // Nobody can take a lock that exists: who held it then is among those who run now.
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

    /// A git goes to the top of its work tree; it may close the lock while it waits for a hook.
    /// Others that write an index keep it open.
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
        // Those that watch for changes run on for days and lock nothing.
        let watches = String::from_utf8_lossy(&words).contains("--daemon");
        // A process that has ended has no words, nor a lock.
        name.starts_with("git") && !words.is_empty() && !watches
    }

    fn is_inside(link: &Path, folders: &[PathBuf]) -> bool {
        // Where it works cannot be read for another user's: then it may be here.
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

    /// Nobody can tell.
    pub(super) fn is_abandoned(_lock: &Path, _places: &[PathBuf], _deadline: Instant) -> bool {
        false
    }
}
