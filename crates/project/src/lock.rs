//! One runner a project: an OS lock on `.ralph/lock` that dies with its process. The pid in the file
//! is for people.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};

use fs2::FileExt;

use crate::Layout;

/// Held for as long as this value lives.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("another ralph-loop is running here{}", .pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default())]
    Held { pid: Option<u32> },
    #[error("cannot lock {path}: {error}")]
    Io { path: String, error: io::Error },
}

impl RunLock {
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
        match file.try_lock_exclusive() {
            Ok(()) => {}
            Err(error) if error.raw_os_error() == fs2::lock_contended_error().raw_os_error() => {
                return Err(LockError::Held { pid: read_pid(&mut file) });
            }
            Err(error) => return Err(failed(error)),
        }
        file.set_len(0).map_err(failed)?;
        writeln!(file, "{}", std::process::id()).map_err(failed)?;
        Ok(Self { _file: file })
    }
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
    fn the_second_is_told_who_is_first_and_gets_its_turn_later() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let first = RunLock::acquire(&layout).unwrap();
        let refused = RunLock::acquire(&layout).unwrap_err();
        // A locked file cannot be read on Windows.
        let named =
            if cfg!(windows) { String::new() } else { format!(" (pid {})", std::process::id()) };
        assert_eq!(refused.to_string(), format!("another ralph-loop is running here{named}"));
        drop(first);
        RunLock::acquire(&layout).unwrap();
    }
}
