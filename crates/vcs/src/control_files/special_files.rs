//! Finds pipes and devices in the git folder, because git would block when it opens a pipe.
//!
//! A folder with an unchanged time stamp is not read again, so a large object store costs one
//! `stat` per folder.

use std::collections::HashMap;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{FileMetadata, is_settled};
use crate::path_text::from_os;

/// The subfolders that git reads. Other programs store large folders beside them.
const READ_BY_GIT: &str = "
    branches info logs modules objects rebase-apply rebase-merge refs reftable remotes sequencer
    worktrees
";

/// Time limit, because an agent can create any number of folders.
const SEARCH: Duration = Duration::from_secs(20);

#[derive(Debug, Default)]
pub(crate) struct SpecialFiles {
    folders: HashMap<PathBuf, KnownFolder>,
}

/// A folder without special files.
#[derive(Debug)]
struct KnownFolder {
    look: FileMetadata,
    folders: Vec<PathBuf>,
}

#[derive(Debug, Default)]
struct Listed {
    folders: Vec<PathBuf>,
    special: Vec<PathBuf>,
    /// The target of a link can change without the folder's time stamp.
    has_links: bool,
}

impl SpecialFiles {
    /// Everything that is neither file nor folder, by its path from `.git`. Links to folders are
    /// not followed: their targets are not part of the repository.
    pub(crate) fn find(&mut self, git_dir: &Path) -> Vec<String> {
        let (until, mut found) = (Instant::now() + SEARCH, Vec::new());
        let mut folders = vec![git_dir.to_path_buf()];
        while let Some(folder) = folders.pop().filter(|_| Instant::now() < until) {
            let look = FileMetadata::through(&folder);
            if let Some(known) = self.folders.get(&folder).filter(|known| known.look == look) {
                folders.extend(known.folders.iter().cloned());
                continue;
            }
            let is_settled = is_settled(std::slice::from_ref(&look));
            let mut listed = Listed::of(&folder);
            if folder == git_dir {
                let is_read = |folder: &PathBuf| {
                    READ_BY_GIT.split_whitespace().any(|name| *folder == git_dir.join(name))
                };
                listed.folders.retain(is_read);
            }
            folders.extend(listed.folders.iter().cloned());
            if is_settled && listed.special.is_empty() && !listed.has_links {
                self.folders.insert(folder, KnownFolder { look, folders: listed.folders });
            } else {
                self.folders.remove(&folder);
            }
            found.extend(listed.special);
        }
        let name = |path: PathBuf| {
            let inside = path.strip_prefix(git_dir).unwrap_or(&path);
            format!(".git/{}", from_os(inside.as_os_str()))
        };
        found.into_iter().map(name).collect()
    }
}

impl Listed {
    fn of(folder: &Path) -> Self {
        let mut listed = Self::default();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            listed.has_links |= kind.is_symlink();
            if kind.is_dir() {
                listed.folders.push(entry.path());
            } else if !kind.is_file() && is_special(&entry) {
                listed.special.push(entry.path());
            }
        }
        listed
    }
}

/// Follows links. Sockets are fine: opening one fails at once, and git's fsmonitor has one.
/// `/dev/null` reads as an empty file.
#[cfg(unix)]
fn is_special(entry: &DirEntry) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let Ok(found) = fs::metadata(entry.path()) else { return false };
    let kind = found.file_type();
    let is_null = || fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == found.rdev());
    kind.is_fifo() || ((kind.is_char_device() || kind.is_block_device()) && !is_null())
}

#[cfg(not(unix))]
fn is_special(_entry: &DirEntry) -> bool {
    false
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn pipe(path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR);
        rustix::fs::mknodat(rustix::fs::CWD, path, kind, mode, 0).unwrap();
    }

    /// Backdates every folder so that it may be cached.
    fn settle() {
        std::thread::sleep(super::super::CLOCK_GRAIN + Duration::from_millis(50));
    }

    #[test]
    fn pipes_are_found_in_all_folders_that_git_reads() {
        let dir = tempfile::tempdir().unwrap();
        let expected = [
            ".git/CHERRY_PICK_HEAD",
            ".git/logs/HEAD",
            ".git/modules/x/config",
            ".git/objects/ab/cd",
            ".git/refs/heads/x",
        ];
        for name in expected {
            pipe(&dir.path().join(name));
        }
        pipe(&dir.path().join(".git/lfs/other"));
        let mut found = SpecialFiles::default().find(&dir.path().join(".git"));
        found.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn links_to_files_are_followed_and_links_to_folders_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let refs = dir.path().join(".git/refs");
        pipe(&dir.path().join("outside/pipe"));
        fs::create_dir_all(&refs).unwrap();
        symlink(dir.path().join("outside"), refs.join("folder")).unwrap();
        symlink(dir.path().join("outside/pipe"), refs.join("pipe")).unwrap();
        symlink("/dev/null", refs.join("null")).unwrap();
        symlink("/dev/zero", refs.join("zero")).unwrap();
        symlink("nowhere", refs.join("broken")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(refs.join("socket")).unwrap();
        let mut found = SpecialFiles::default().find(&dir.path().join(".git"));
        found.sort_unstable();
        assert_eq!(found, [".git/refs/pipe", ".git/refs/zero"]);
    }

    #[test]
    fn later_additions_to_a_cached_folder_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let (git_dir, mut files) = (dir.path().join(".git"), SpecialFiles::default());
        fs::create_dir_all(git_dir.join("refs/heads")).unwrap();
        fs::write(git_dir.join("refs/heads/x"), "").unwrap();
        settle();
        assert!(files.find(&git_dir).is_empty());
        assert!(files.folders.contains_key(&git_dir.join("refs/heads")), "{files:?}");
        fs::remove_file(git_dir.join("refs/heads/x")).unwrap();
        pipe(&git_dir.join("refs/heads/x"));
        for _ in 0..2 {
            assert_eq!(files.find(&git_dir), [".git/refs/heads/x"]);
        }
    }
}
