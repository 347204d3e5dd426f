//! One runner per project: an OS lock on `.ralph/lock` that ends with its process. The pid in the file
//! is informational.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::time::Duration;

use crate::Layout;

/// Held as long as this value lives.
#[derive(Debug)]
pub struct RunLock {
    file: File,
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("another ralph-loop is running here{}", .pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default())]
    Held { pid: Option<u32> },
    #[error("cannot lock {path}: {error}")]
    Io { path: String, error: io::Error },
}

/// A process that only tests the lock holds it for a moment.
const TRIES: u32 = 10;
const BETWEEN_TRIES: Duration = Duration::from_millis(20);

impl Drop for RunLock {
    fn drop(&mut self) {
        // A program that another thread is just starting has the file for a moment, and with it the lock.
        let _ = self.file.unlock();
    }
}

impl RunLock {
    /// Whether a runner is working in the project.
    pub fn is_held(layout: &Layout) -> bool {
        // Shared, so that two tests do not mistake each other for a runner.
        let Ok((file, _)) = bounded_read::open_regular(&layout.lock()) else { return false };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    pub fn acquire(layout: &Layout) -> Result<Self, LockError> {
        let path = layout.lock();
        let failed = |error| LockError::Io { path: path.display().to_string(), error };
        std::fs::create_dir_all(layout.data_dir()).map_err(failed)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        match lock_patiently(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(LockError::Held { pid: read_pid(&mut file) });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        file.set_len(0).map_err(failed)?;
        writeln!(file, "{}", std::process::id()).map_err(failed)?;
        Ok(Self { file })
    }
}

fn lock_patiently(file: &File) -> Result<(), TryLockError> {
    for _ in 1..TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(BETWEEN_TRIES),
            other => return other,
        }
    }
    file.try_lock()
}

fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_runner_learns_the_pid_of_the_first() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        assert!(!RunLock::is_held(&layout));
        let first = RunLock::acquire(&layout).unwrap();
        assert!(RunLock::is_held(&layout));
        let refused = RunLock::acquire(&layout).unwrap_err();
        // A locked file cannot be read on Windows.
        let named =
            if cfg!(windows) { String::new() } else { format!(" (pid {})", std::process::id()) };
        assert_eq!(refused.to_string(), format!("another ralph-loop is running here{named}"));
        drop(first);
        assert!(!RunLock::is_held(&layout));
        RunLock::acquire(&layout).unwrap();
    }
}
