//! Pipes and devices in the folder of git. git opens whatever lies there and would wait for a pipe for ever.
//!
//! A folder that looks as it did when it was read last is not read again: who puts something into a folder changes its
//! time. So a repository with many objects costs one look at each of their folders.

use std::collections::HashMap;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Look, is_settled};
use crate::path_text::from_os;

/// The folders in the folder of git that git itself reads. Other programs keep large ones beside them.
const READ_BY_GIT: [&str; 12] = [
    "branches",
    "info",
    "logs",
    "modules",
    "objects",
    "rebase-apply",
    "rebase-merge",
    "refs",
    "reftable",
    "remotes",
    "sequencer",
    "worktrees",
];

/// For all of them: an agent can make any number of folders.
const SEARCH: Duration = Duration::from_secs(20);

#[derive(Debug, Default)]
pub(crate) struct SpecialFiles {
    folders: HashMap<PathBuf, KnownFolder>,
}

/// One without special files.
#[derive(Debug)]
struct KnownFolder {
    look: Look,
    folders: Vec<PathBuf>,
}

/// What is in a folder.
#[derive(Debug, Default)]
struct Listed {
    folders: Vec<PathBuf>,
    special: Vec<PathBuf>,
    /// What a link leads to can change without it.
    has_links: bool,
}

impl SpecialFiles {
    /// What is neither a file nor a folder, by its name from `.git`. Folders behind links are not looked into: they are
    /// not part of the repository.
    pub(crate) fn find(&mut self, git_dir: &Path) -> Vec<String> {
        let (until, mut found) = (Instant::now() + SEARCH, Vec::new());
        let mut folders = vec![git_dir.to_path_buf()];
        while let Some(folder) = folders.pop().filter(|_| Instant::now() < until) {
            let look = Look::through(&folder);
            if let Some(known) = self.folders.get(&folder).filter(|known| known.look == look) {
                folders.extend(known.folders.iter().cloned());
                continue;
            }
            let is_settled = is_settled(std::slice::from_ref(&look));
            let mut listed = Listed::of(&folder);
            if folder == git_dir {
                let is_read = |name: &str| listed.folders.contains(&git_dir.join(name));
                listed.folders = READ_BY_GIT
                    .iter()
                    .filter(|name| is_read(name))
                    .map(|name| git_dir.join(name))
                    .collect();
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

/// Of a link, what it leads to. A socket cannot be opened, so git fails at once: its own monitor has one. And the null
/// device is an empty file.
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

    /// Every folder looks as if it had been changed long enough ago to be remembered.
    fn settle() {
        std::thread::sleep(super::super::CLOCK_GRAIN + Duration::from_millis(50));
    }

    #[test]
    fn pipes_are_found_wherever_git_reads() {
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
    fn a_link_is_special_if_it_leads_to_something_special_and_no_folder_behind_one_is_looked_into()
    {
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
    fn a_folder_that_was_read_shows_what_comes_into_it_later() {
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
