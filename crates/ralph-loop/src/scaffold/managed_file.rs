//! One file that `init` manages: its current contents and how to change them.

use std::path::{Path, PathBuf};

use bounded_read::FileError;

use super::init_error::InitError;
use super::init_report::{FileOutcome, FileReport};
use super::{Existing, gitignore};

const LARGEST: u64 = 64 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct ManagedFile {
    path: PathBuf,
    change: FileChange,
}

#[derive(Debug)]
enum FileChange {
    Keep,
    Create(Vec<u8>),
    Replace { old: Vec<u8>, new: Vec<u8> },
    Extend(Vec<u8>),
    Renew(Vec<u8>),
}

impl ManagedFile {
    pub(super) fn plan(path: PathBuf, new: Vec<u8>, existing: Existing) -> Result<Self, InitError> {
        let change = match (current(&path)?, existing) {
            (None, _) => FileChange::Create(new),
            (Some(old), Existing::Replace) if old != new => FileChange::Replace { old, new },
            (Some(_), _) => FileChange::Keep,
        };
        Ok(Self { path, change })
    }

    pub(super) fn plan_gitignore(path: PathBuf) -> Result<Self, InitError> {
        let old = current(&path)?;
        let change = match (gitignore::extended(old.as_deref().unwrap_or_default()), old) {
            (None, _) => FileChange::Keep,
            (Some(new), None) => FileChange::Create(new),
            (Some(new), Some(_)) => FileChange::Extend(new),
        };
        Ok(Self { path, change })
    }

    /// A file that only this program writes: it is updated without a backup.
    pub(super) fn plan_own(path: PathBuf, new: Vec<u8>) -> Result<Self, InitError> {
        let change = match current(&path)? {
            None => FileChange::Create(new),
            Some(old) if old == new => FileChange::Keep,
            Some(_) => FileChange::Renew(new),
        };
        Ok(Self { path, change })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn writes(&self) -> bool {
        !matches!(self.change, FileChange::Keep)
    }

    pub(super) fn write(self, root: &Path) -> Result<FileReport, InitError> {
        let Self { path, change } = self;
        let outcome = match change {
            FileChange::Keep => FileOutcome::Kept,
            FileChange::Create(new) => {
                write(&path, &new)?;
                FileOutcome::Created
            }
            FileChange::Extend(new) => {
                write(&path, &new)?;
                FileOutcome::Extended
            }
            FileChange::Renew(new) => {
                write(&path, &new)?;
                FileOutcome::Renewed
            }
            FileChange::Replace { old, new } => {
                let backup = free_backup(&path);
                write(&backup, &old)?;
                write(&path, &new)?;
                FileOutcome::Replaced { backup: from_root(root, &backup) }
            }
        };
        Ok(FileReport { path: from_root(root, &path), outcome })
    }
}

/// The contents of the path; a dangling link is an error.
pub(super) fn current(path: &Path) -> Result<Option<Vec<u8>>, InitError> {
    match bounded_read::read_file(path, LARGEST) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(FileError::Absent) if path.is_symlink() => {
            Err(InitError::DanglingLink { path: path.to_path_buf() })
        }
        Err(FileError::Absent) => match blocking_file(path) {
            Some(blocking_file) => Err(InitError::NoFolder { path: blocking_file.to_path_buf() }),
            None => Ok(None),
        },
        Err(error) => Err(InitError::Unreadable { path: path.to_path_buf(), error }),
    }
}

/// A file where a parent folder is needed.
fn blocking_file(path: &Path) -> Option<&Path> {
    let exists = |path: &&Path| path.exists() || path.is_symlink();
    path.ancestors().skip(1).find(exists).filter(|nearest| !nearest.is_dir())
}

fn write(path: &Path, contents: &[u8]) -> Result<(), InitError> {
    project::write_whole(path, contents)
        .map_err(|error| InitError::Unwritable { path: path.to_path_buf(), error })
}

/// `prd.md.bak`, with a number if that exists.
fn free_backup(path: &Path) -> PathBuf {
    let named = |number: u32| {
        let suffix = if number == 1 { String::new() } else { format!(".{number}") };
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".bak{suffix}"));
        PathBuf::from(name)
    };
    let taken = |path: &PathBuf| path.exists() || path.is_symlink();
    (1..).map(named).find(|path| !taken(path)).unwrap_or_else(|| named(0))
}

fn from_root(root: &Path, path: &Path) -> PathBuf {
    path.strip_prefix(root).unwrap_or(path).to_path_buf()
}
