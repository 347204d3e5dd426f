//! Locks that a killed git left behind, and that would stop every git after it.
//!
//! Taken away only where it is known that nobody holds them, which is on Linux.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::{VcsError, WorkTree};

impl WorkTree {
    /// Removes the locks on index, HEAD and branch that no living git holds, and names them. Waits
    /// until `deadline` for a git that still works here; what it holds then is left alone.
    ///
    /// Ask only when every program that worked here for the runner is gone.
    pub fn remove_abandoned_locks(&self, deadline: Instant) -> Result<Vec<PathBuf>, VcsError> {
        let mut removed = Vec::new();
        for lock in self.locks() {
            if system::is_abandoned(&lock, &self.top, deadline) {
                match std::fs::remove_file(&lock) {
                    Ok(()) => removed.push(lock),
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    Err(error) => return Err(VcsError::Disk { path: lock, error }),
                }
            }
        }
        Ok(removed)
    }

    /// Where git puts the locks that a commit takes.
    fn locks(&self) -> Vec<PathBuf> {
        let own = self.git_dir();
        let mut locks = vec![own.join("index.lock"), own.join("HEAD.lock")];
        let head = std::fs::read_to_string(own.join("HEAD")).unwrap_or_default();
        if let Some(branch) = head.strip_prefix("ref: ") {
            let branch = format!("{}.lock", branch.trim_end());
            locks.push(shared(&own).join(branch));
        }
        locks
    }
}

/// What a linked work tree shares with the others: the branches.
fn shared(git_dir: &Path) -> PathBuf {
    let link = std::fs::read_to_string(git_dir.join("commondir"));
    link.map_or_else(|_| git_dir.to_path_buf(), |link| git_dir.join(link.trim_end()))
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs::read_link;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;
    use std::time::{Duration, Instant};

    /// Between two looks at a git that still works.
    const PACE: Duration = Duration::from_millis(10);

    /// Whether it is there, and nobody can hold it.
    pub(super) fn is_abandoned(lock: &Path, top: &Path, deadline: Instant) -> bool {
        loop {
            let Some(found) = identity(lock) else { return false };
            // Nobody can take a lock that exists: who held it then is among those who run now.
            if !is_held(lock, top) {
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
    fn is_held(lock: &Path, top: &Path) -> bool {
        let Ok(processes) = std::fs::read_dir("/proc") else { return true };
        processes.flatten().any(|entry| {
            let process = entry.path();
            (is_git(&process) && is_inside(&process.join("cwd"), top)) || has_open(&process, lock)
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

    fn is_inside(link: &Path, folder: &Path) -> bool {
        // Where it works cannot be read for another user's: then it may be here.
        read_link(link).map_or_else(
            |error| error.kind() != std::io::ErrorKind::NotFound,
            |place| place.starts_with(folder),
        )
    }

    fn has_open(process: &Path, lock: &Path) -> bool {
        let Ok(files) = std::fs::read_dir(process.join("fd")) else { return false };
        files.flatten().any(|file| read_link(file.path()).is_ok_and(|open| open == lock))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::path::Path;
    use std::time::Instant;

    /// Nobody can tell.
    pub(super) fn is_abandoned(_lock: &Path, _top: &Path, _deadline: Instant) -> bool {
        false
    }
}
