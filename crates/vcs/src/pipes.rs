//! Pipes and other special files in place of files that git reads in a work tree: git would wait for them for
//! ever.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::control_files::{ChangeFate, Effect};
use crate::git::RunningGit;
use crate::path_text::from_os;
use crate::{VcsError, WorkTree};

/// git reads these wherever they lie.
const READ_BY_GIT: [&str; 4] = [".gitattributes", ".gitignore", ".gitmodules", ".mailmap"];

/// A git that has said nothing for so long may be waiting for a pipe.
const STALL: Duration = Duration::from_secs(3);

/// For a look through the folders.
const SEARCH: Duration = Duration::from_secs(20);

impl WorkTree {
    /// What a git that says nothing may be waiting for; nothing of a git that speaks.
    pub(crate) fn stalling_pipes(&self, git: &RunningGit) -> Vec<PathBuf> {
        let mut found = Vec::new();
        if git.is_silent_for(STALL) {
            search(&self.top, Instant::now() + SEARCH, &mut found);
        }
        found
    }

    /// Removes them where the control files are guarded, so that each is reported; else the first is an error.
    pub(crate) fn remove_pipes(&self, pipes: Vec<PathBuf>) -> Result<(), VcsError> {
        for path in pipes {
            if self.control.is_none() {
                return Err(VcsError::PipeInTheWay { path });
            }
            let name = from_os(path.strip_prefix(&self.top).unwrap_or(&path).as_os_str());
            self.report_control(&name, Effect::DecidesContent, ChangeFate::PutBack);
            fs::remove_file(&path).map_err(|error| VcsError::Disk { path, error })?;
        }
        Ok(())
    }
}

fn search(folder: &Path, until: Instant, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (Ok(kind), name) = (entry.file_type(), entry.file_name()) else { continue };
        if kind.is_dir() && name != ".git" && Instant::now() < until {
            search(&entry.path(), until, found);
        } else if READ_BY_GIT.iter().any(|known| name == *known)
            && !(kind.is_file() || kind.is_symlink() || kind.is_dir())
        {
            found.push(entry.path());
        }
    }
}
