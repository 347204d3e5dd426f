//! File metadata with which later changes are detected without reading contents.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::path_text::from_os;

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Stamp {
    /// A regular file.
    File {
        #[serde(rename = "b")]
        bytes: u64,
        /// Nanoseconds since 1970.
        #[serde(rename = "t")]
        modified: u64,
        #[serde(rename = "m")]
        mode: u32,
        /// The inode, where supported.
        #[serde(rename = "i", default, skip_serializing_if = "Option::is_none")]
        inode: Option<u64>,
    },
    /// A symbolic link.
    Link { to: String },
    /// A pipe, socket or device.
    Special,
    /// A nested repository.
    Repository,
    /// An unreadable folder.
    Closed,
}

impl Stamp {
    /// `None` for a folder and for a missing path.
    pub(crate) fn of(place: &Path) -> Option<Self> {
        let found = fs::symlink_metadata(place).ok()?;
        let kind = found.file_type();
        if kind.is_dir() {
            return None;
        }
        if kind.is_symlink() {
            let to = fs::read_link(place).unwrap_or_default();
            let to = from_os(to.as_os_str()).into_owned();
            return Some(Self::Link { to });
        }
        if !kind.is_file() {
            return Some(Self::Special);
        }
        Some(Self::File {
            bytes: found.len(),
            modified: modified(&found),
            mode: mode(&found),
            inode: inode(&found),
        })
    }

    /// The part that survives a move to another file system.
    pub(crate) fn without_inode(&self) -> Self {
        match self {
            Self::File { bytes, modified, mode, .. } => {
                Self::File { bytes: *bytes, modified: *modified, mode: *mode, inode: None }
            }
            other => other.clone(),
        }
    }

    pub(crate) fn inode(&self) -> Option<u64> {
        if let Self::File { inode, .. } = self { *inode } else { None }
    }

    /// A folder whose contents are not inspected.
    pub(crate) fn is_folder(&self) -> bool {
        matches!(self, Self::Repository | Self::Closed)
    }
}

/// The time of the last change of the inode. Unlike `modified`, programs cannot set it.
#[cfg(unix)]
pub(crate) fn changed_at(found: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let seconds = u64::try_from(found.ctime()).unwrap_or_default();
    seconds * 1_000_000_000 + u64::try_from(found.ctime_nsec()).unwrap_or_default()
}

#[cfg(not(unix))]
pub(crate) fn changed_at(found: &Metadata) -> u64 {
    modified(found)
}

/// `None` where not supported.
pub(crate) fn created_at(found: &Metadata) -> Option<u64> {
    found.created().ok().map(nanoseconds)
}

#[cfg(unix)]
pub(crate) fn inode(found: &Metadata) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::ino(found))
}

#[cfg(not(unix))]
pub(crate) fn inode(_found: &Metadata) -> Option<u64> {
    None
}

pub(crate) fn modified(found: &Metadata) -> u64 {
    found.modified().map(nanoseconds).unwrap_or_default()
}

fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).ok();
    since.and_then(|since| u64::try_from(since.as_nanos()).ok()).unwrap_or_default()
}

#[cfg(unix)]
pub(crate) fn mode(found: &Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o7777
}

#[cfg(not(unix))]
pub(crate) fn mode(found: &Metadata) -> u32 {
    u32::from(found.permissions().readonly())
}

#[cfg(unix)]
pub(crate) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
pub(crate) fn set_mode(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}
