//! Reads whole regular files up to a size limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::system;

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("it does not exist")]
    Absent,
    #[error("it is not a regular file")]
    NotRegular,
    #[error("it has {bytes} bytes; the limit is {limit}")]
    TooLarge { bytes: u64, limit: u64 },
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Opens the target of `path` without blocking; symbolic links are followed.
pub fn open_regular(path: &Path) -> Result<(File, u64), FileError> {
    let file = system::open_without_waiting(path).map_err(|error| match error.kind() {
        // A path below a regular file does not exist.
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileError::Absent,
        _ => FileError::Io(error),
    })?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata.len())) } else { Err(FileError::NotRegular) }
}

/// Opens the file at `path` for reading and appending, without blocking. Links are refused.
pub fn open_to_append(path: &Path) -> Result<File, FileError> {
    let file = system::open_to_append(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => FileError::Absent,
        _ => FileError::Io(error),
    })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(FileError::NotRegular) }
}

pub fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let (file, size) = open_regular(path)?;
    if size > limit {
        return Err(FileError::TooLarge { bytes: size, limit });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    // Reading one more byte detects a file that grew meanwhile.
    let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    match u64::try_from(read) {
        Ok(read) if read <= limit => Ok(bytes),
        _ => Err(FileError::TooLarge { bytes: limit.saturating_add(1), limit }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_below_a_file_is_absent() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("file"), "").unwrap();
        let error = read_file(&dir.path().join("file/below"), 5).unwrap_err();
        assert!(matches!(error, FileError::Absent), "{error}");
    }

    #[test]
    fn reads_up_to_the_limit_and_not_past_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read_file(&path, 5).unwrap(), b"12345");
        let error = read_file(&path, 4).unwrap_err();
        assert!(matches!(error, FileError::TooLarge { bytes: 5, limit: 4 }), "{error}");
    }

    /// Files in /proc report size 0, like a file that grows while it is read.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_growing_file_is_not_read_past_the_limit() {
        let path = Path::new("/proc/self/status");
        assert_eq!(std::fs::metadata(path).unwrap().len(), 0);
        assert!(matches!(read_file(path, 5), Err(FileError::TooLarge { bytes: 6, limit: 5 })));
    }

    #[test]
    fn absent_files_and_directories_are_distinguished() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(read_file(&dir.path().join("none"), 9), Err(FileError::Absent)));
        assert!(matches!(read_file(dir.path(), 9), Err(FileError::NotRegular | FileError::Io(_))));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_to_files_but_not_into_devices() {
        let dir = tempfile::tempdir().unwrap();
        let link = |name: &str, target: &Path| {
            let link = dir.path().join(name);
            std::os::unix::fs::symlink(target, &link).unwrap();
            link
        };
        let file = dir.path().join("file");
        std::fs::write(&file, "x").unwrap();
        assert_eq!(read_file(&link("to-file", &file), 9).unwrap(), b"x");
        assert!(matches!(
            read_file(&link("to-zero", Path::new("/dev/zero")), 9),
            Err(FileError::NotRegular)
        ));
        assert!(matches!(
            read_file(&link("dangling", Path::new("gone")), 9),
            Err(FileError::Absent)
        ));
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_opened_for_appending() {
        use std::io::Write;
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        assert!(matches!(open_to_append(&file), Err(FileError::Absent)));
        std::fs::write(&file, "one ").unwrap();
        open_to_append(&file).unwrap().write_all(b"two").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"one two");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(matches!(open_to_append(&link), Err(FileError::Io(_))));
        assert!(open_to_append(dir.path()).is_err());
    }

    /// rustix creates named pipes on Linux only.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_without_a_writer_does_not_block() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert!(matches!(read_file(&pipe, 9), Err(FileError::NotRegular)));
        assert!(matches!(open_to_append(&pipe), Err(FileError::NotRegular)));
    }
}
