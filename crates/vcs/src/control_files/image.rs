//! The content of a small control file, and how to restore it.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::Result;
use crate::stamp::{changed_at, inode, mode, modified, set_mode};
use crate::vcs_error::disk;

const LARGEST: u64 = 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Image {
    /// Nothing is there.
    Absent,
    /// A regular file.
    File { bytes: Vec<u8>, mode: u32 },
    /// A symbolic link with this target.
    Link(PathBuf),
    /// A pipe, folder, device or unreadable file.
    Other,
}

/// File metadata that changes with every modification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileMetadata(Option<[u64; 5]>);

impl Image {
    pub(crate) fn of(path: &Path) -> Self {
        let Ok(found) = fs::symlink_metadata(path) else { return Self::Absent };
        if found.is_symlink() {
            return fs::read_link(path).map_or(Self::Other, Self::Link);
        }
        match bounded_read::read_file(path, LARGEST) {
            Ok(bytes) => Self::File { bytes, mode: mode(&found) },
            Err(_) => Self::Other,
        }
    }

    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::File { bytes, .. } => Some(bytes),
            _ => None,
        }
    }

    /// Covers mode and content; `None` for a missing file.
    pub(crate) fn digest(&self) -> Option<String> {
        let digest = match self {
            Self::Absent => return None,
            Self::File { bytes, mode } => Sha256::new()
                .chain_update(if mode & 0o111 == 0 { "file " } else { "program " })
                .chain_update(bytes)
                .finalize(),
            Self::Link(to) => Sha256::new()
                .chain_update("link ")
                .chain_update(to.as_os_str().as_encoded_bytes())
                .finalize(),
            Self::Other => Sha256::digest("other"),
        };
        Some(HEXLOWER.encode(&digest))
    }

    /// Replaces whatever is at `path`.
    pub(crate) fn restore(&self, path: &Path) -> Result<()> {
        remove(path)?;
        let restored = match self {
            Self::Absent | Self::Other => Ok(()),
            Self::Link(to) => link(to, path),
            Self::File { bytes, mode } => write(path, bytes, *mode),
        };
        restored.map_err(disk(path))
    }
}

fn write(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut file, bytes)?;
    set_mode(file.path(), mode)?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

impl FileMetadata {
    pub(crate) fn at(path: &Path) -> Self {
        Self(fs::symlink_metadata(path).ok().map(|found| look(&found)))
    }

    /// Follows links.
    pub(crate) fn through(path: &Path) -> Self {
        Self(fs::metadata(path).ok().map(|found| look(&found)))
    }

    pub(crate) fn of(found: &Metadata) -> Self {
        Self(Some(look(found)))
    }

    /// Time of the last change in nanoseconds since 1970; `i128::MIN` if the file is missing.
    pub(crate) fn changed(&self) -> i128 {
        self.0.map_or(i128::MIN, |[.., changed]| changed.into())
    }
}

/// Removes a file, link or folder tree. A missing one is fine.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Err(disk(path)(error))
        }
        _ => Ok(()),
    }
}

fn look(found: &Metadata) -> [u64; 5] {
    let inode = inode(found).unwrap_or_default();
    [inode, found.len(), mode(found).into(), modified(found), changed_at(found)]
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
fn link(_to: &Path, _at: &Path) -> io::Result<()> {
    Err(io::Error::from(ErrorKind::Unsupported))
}
