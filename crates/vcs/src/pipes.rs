//! Removes pipes and other special files that git reads in a work tree, because they would block
//! git.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::control_files::{ChangeOutcome, Effect};
use crate::path_text::from_os;
use crate::vcs_error::disk;
use crate::{Result, VcsError, WorkTree};

/// git reads these in any folder.
const READ_BY_GIT: [&str; 4] = [".gitattributes", ".gitignore", ".gitmodules", ".mailmap"];

/// Time limit of the search.
const SEARCH: Duration = Duration::from_secs(20);

impl WorkTree {
    /// Called when git prints nothing, because it may be blocked. If control files are guarded,
    /// removes the pipes, reports them, and git continues. Otherwise the first one is an error.
    /// Returns whether there were any.
    pub(crate) fn remove_pipes(&self) -> Result<bool> {
        let mut pipes = Vec::new();
        search(&self.top, Instant::now() + SEARCH, &mut pipes);
        let had_pipes = !pipes.is_empty();
        for path in pipes {
            if self.control.is_none() {
                return Err(VcsError::BlockingPipe { path });
            }
            let name = from_os(path.strip_prefix(&self.top).unwrap_or(&path).as_os_str());
            self.report_control(&name, Effect::DecidesContent, ChangeOutcome::Restored);
            // Closing it gives a blocked reader end-of-file.
            let end = writing_end(&path);
            fs::remove_file(&path).map_err(disk(&path))?;
            drop(end);
        }
        Ok(had_pipes)
    }
}

/// `None` if nothing reads from the pipe.
#[cfg(unix)]
fn writing_end(pipe: &Path) -> Option<rustix::fd::OwnedFd> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    open(pipe, flags, Mode::empty()).ok()
}

#[cfg(not(unix))]
fn writing_end(_pipe: &Path) -> Option<fs::File> {
    None
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

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use crate::AllowedChanges;

    /// git would need all of it without the search.
    const DEADLINE: Duration = Duration::from_secs(60);

    fn repository() -> (tempfile::TempDir, WorkTree) {
        let dir = tempfile::tempdir().unwrap();
        test_repo::init(dir.path());
        fs::create_dir(dir.path().join("inner")).unwrap();
        fs::write(dir.path().join("inner/file"), "x\n").unwrap();
        fs::write(dir.path().join(".gitignore"), "*.log\n").unwrap();
        test_repo::commit_all(dir.path());
        let tree = WorkTree::open(dir.path()).unwrap();
        (dir, tree)
    }

    fn pipe(path: &Path) {
        let _ = fs::remove_file(path);
        let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR);
        rustix::fs::mknodat(rustix::fs::CWD, path, kind, mode, 0).unwrap();
    }

    #[test]
    fn a_guard_removes_and_reports_pipes() {
        let (dir, mut tree) = repository();
        tree.guard_control_files(AllowedChanges::default()).unwrap();
        for name in [".gitignore", "inner/.gitignore"] {
            pipe(&dir.path().join(name));
        }
        fs::write(dir.path().join("new"), "").unwrap();
        let began = Instant::now();
        let state = tree.state(began + DEADLINE).unwrap();
        assert!(began.elapsed() < DEADLINE / 2);
        let dirty: Vec<&str> = state.dirty.iter().map(|dirty| dirty.path.as_str()).collect();
        assert_eq!(dirty, [".gitignore", "new"]);
        let changes = tree.restore_control_files().unwrap();
        let mut names: Vec<&str> = changes.iter().map(|change| change.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, [".gitignore", "inner/.gitignore"]);
        for change in &changes {
            assert_eq!(change.effect, Effect::DecidesContent);
            assert_eq!(change.outcome, ChangeOutcome::Restored);
        }
    }

    /// `status` does not block, because it does not read untracked files.
    #[test]
    fn git_continues_after_the_pipe_is_removed() {
        let (dir, mut tree) = repository();
        tree.guard_control_files(AllowedChanges::default()).unwrap();
        pipe(&dir.path().join("inner/.gitattributes"));
        fs::write(dir.path().join("inner/new"), "").unwrap();
        let began = Instant::now();
        let commit = tree.commit_paths(&["inner/new"], "x", began + DEADLINE).unwrap();
        assert!(commit.is_some());
        assert!(began.elapsed() < DEADLINE / 2);
        assert_eq!(test_repo::git(dir.path(), &["show", "--format=", "--name-only"]), "inner/new");
        let changes = tree.restore_control_files().unwrap();
        assert_eq!(changes[0].name, "inner/.gitattributes");
    }

    #[test]
    fn without_a_guard_a_pipe_is_an_error() {
        let (dir, tree) = repository();
        let path = dir.path().join("inner/.gitattributes");
        pipe(&path);
        // git must read the file and therefore its attributes.
        fs::write(dir.path().join("inner/file"), "y\n").unwrap();
        let until = Instant::now() + DEADLINE;
        let state = tree.state(until).unwrap_err();
        assert!(
            matches!(&state, VcsError::BlockingPipe { path: found } if *found == path),
            "{state}"
        );
        let status = tree.start_status().unwrap().finish(until).unwrap_err();
        assert!(matches!(status, VcsError::BlockingPipe { .. }), "{status}");
        assert!(Instant::now() < until - DEADLINE / 2);
        assert!(path.exists(), "it is left to the user");
    }

    #[test]
    fn only_special_files_that_git_reads_are_found() {
        let (dir, _) = repository();
        for name in ["inner/.mailmap", "inner/.gitmodules", "other", ".git/.gitignore"] {
            pipe(&dir.path().join(name));
        }
        std::os::unix::fs::symlink("nowhere", dir.path().join(".gitattributes")).unwrap();
        fs::create_dir(dir.path().join("inner/.gitattributes")).unwrap();
        let mut found = Vec::new();
        search(dir.path(), Instant::now() + SEARCH, &mut found);
        found.sort();
        assert_eq!(
            found,
            ["inner/.gitmodules", "inner/.mailmap"].map(|name| dir.path().join(name))
        );
    }
}
