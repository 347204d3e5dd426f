//! One file that `init` manages: its current contents and how to change them.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use bounded_read::FileError;

use super::gitignore;
use super::init_report::{FileOutcome, FileReport};

const LARGEST: u64 = 64 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct ManagedFile {
    pub(super) path: PathBuf,
    old: Vec<u8>,
    new: Vec<u8>,
    outcome: FileOutcome,
}

impl ManagedFile {
    /// `if_other` is the outcome for a file that exists with other contents.
    pub(super) fn plan(path: PathBuf, new: Vec<u8>, if_other: FileOutcome) -> Result<Self> {
        let old = current(&path)?;
        let outcome = match &old {
            None => FileOutcome::Created,
            Some(old) if *old == new => FileOutcome::Kept,
            Some(_) => if_other,
        };
        Ok(Self { path, old: old.unwrap_or_default(), new, outcome })
    }

    pub(super) fn plan_gitignore(path: PathBuf) -> Result<Self> {
        let old = current(&path)?.unwrap_or_default();
        let new = gitignore::extended(&old).unwrap_or(old);
        Self::plan(path, new, FileOutcome::Extended)
    }

    pub(super) fn writes(&self) -> bool {
        self.outcome != FileOutcome::Kept
    }

    pub(super) fn extends(&self) -> bool {
        self.outcome == FileOutcome::Extended
    }

    pub(super) fn is_same(&self) -> bool {
        self.old == self.new
    }

    pub(super) fn write(mut self, root: &Path) -> Result<FileReport> {
        if let FileOutcome::Replaced { backup } = &mut self.outcome {
            let path = free_backup(&self.path);
            write(&path, &self.old)?;
            *backup = from_root(root, &path);
        }
        if self.writes() {
            write(&self.path, &self.new)?;
        }
        Ok(FileReport { path: from_root(root, &self.path), outcome: self.outcome })
    }
}

/// The contents of the path; a dangling link is an error.
pub(super) fn current(path: &Path) -> Result<Option<Vec<u8>>> {
    match bounded_read::read_file(path, LARGEST) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(FileError::Absent) if path.is_symlink() => {
            bail!("{} is a dangling symbolic link", path.display())
        }
        Err(FileError::Absent) => match blocking_file(path) {
            Some(blocking_file) => bail!("{} is not a folder", blocking_file.display()),
            None => Ok(None),
        },
        Err(error) => bail!("cannot read {}: {error}", path.display()),
    }
}

/// A file where a parent folder is needed.
fn blocking_file(path: &Path) -> Option<&Path> {
    let exists = |path: &&Path| path.exists() || path.is_symlink();
    path.ancestors().skip(1).find(exists).filter(|nearest| !nearest.is_dir())
}

fn write(path: &Path, contents: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .map_err(|error| anyhow!("cannot create the folder {}: {error}", folder.display()))?;
    }
    project::write_whole(path, contents)
        .map_err(|error| anyhow!("cannot write {}: {error}", path.display()))
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

fn from_root(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}
