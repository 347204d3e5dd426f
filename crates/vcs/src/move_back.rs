//! Moves files back to their old path, after everything in the way was removed.
//!
//! Meanwhile they are in a folder at the top of the work tree, where they are found again after a
//! crash.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::inventory::InventoryItem;
use crate::inventory::with_open_parent;
use crate::moved_away::Moved;
use crate::path_text::from_os;
use crate::repo_path::RepoPath;
use crate::{NotRestoredReason, RolledBack, WorkTree};

#[derive(Debug, Default)]
pub(crate) struct MovedOut<'a> {
    folder: Option<PathBuf>,
    /// The current place and the old name.
    waiting: Vec<(PathBuf, &'a str)>,
    /// Files that stay, with the reason.
    staying: HashMap<&'a str, String>,
    /// Found files that must not be removed.
    spared: HashSet<&'a str>,
}

impl WorkTree {
    pub(crate) fn move_out<'a>(&self, moved: Moved<'a>) -> MovedOut<'a> {
        let mut moved_out = MovedOut::default();
        for (found, name) in moved.unsure {
            moved_out
                .stay(found, format!("it may be the former {}", self.prefix.relative_text(name)));
        }
        if moved.back.is_empty() {
            return moved_out;
        }
        let folder = tempfile::Builder::new().prefix(".moved-").tempdir_in(&self.top);
        let folder = folder.map(tempfile::TempDir::keep);
        for (number, (found, name)) in moved.back.into_iter().enumerate() {
            let moved = match &folder {
                Ok(folder) => rename(&found.place, &folder.join(number.to_string())),
                Err(error) => Err(io::Error::from(error.kind())),
            };
            match moved {
                Ok(place) => {
                    moved_out.waiting.push((place, name));
                    moved_out.spared.insert(&found.name);
                }
                Err(error) => moved_out.stay(found, self.why(name, &error)),
            }
        }
        moved_out.folder = folder.ok();
        moved_out
    }

    /// Returns the names of the restored files.
    pub(crate) fn move_back(
        &self,
        moved_out: MovedOut<'_>,
        rolled: &mut RolledBack,
    ) -> Vec<RepoPath> {
        let mut returned = Vec::new();
        for (place, name) in moved_out.waiting {
            let moved = if moved_out.staying.contains_key(name) {
                Err(io::Error::from(io::ErrorKind::AlreadyExists))
            } else {
                self.return_to(name, &place)
            };
            match moved {
                Ok(()) => returned.push(RepoPath(name.to_owned())),
                Err(error) => {
                    let place = place.strip_prefix(&self.top).unwrap_or(&place);
                    let why = NotRestoredReason::CannotRemove(self.why(name, &error));
                    rolled.left.push(self.not_restored(&from_os(place.as_os_str()), why));
                }
            }
        }
        if let Some(folder) = moved_out.folder {
            // Files that could not be moved back stay in it and are reported.
            let _ = fs::remove_dir(folder);
        }
        let stays = |(name, why)| self.not_restored(name, NotRestoredReason::CannotRemove(why));
        rolled.left.extend(moved_out.staying.into_iter().map(stays));
        returned
    }

    /// Does not follow links.
    fn return_to(&self, name: &str, from: &Path) -> io::Result<()> {
        let path = RepoPath(name.to_owned());
        if self.obstacle(&path).map_err(io::Error::other)?.is_some() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let place = self.place(&path);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        with_open_parent(&place, |place| fs::rename(from, place))
    }

    fn why(&self, name: &str, error: &io::Error) -> String {
        format!("it is the former {}: {error}", self.prefix.relative_text(name))
    }
}

fn rename(from: &Path, to: &Path) -> io::Result<PathBuf> {
    with_open_parent(from, |from| fs::rename(from, to))?;
    Ok(to.to_owned())
}

impl<'a> MovedOut<'a> {
    fn stay(&mut self, found: &'a InventoryItem, why: String) {
        self.staying.insert(&found.name, why);
        self.spared.insert(&found.name);
    }

    /// Excludes files that must not be removed, and their contents.
    pub(crate) fn without<'f>(&self, all: &[&'f InventoryItem]) -> Vec<&'f InventoryItem> {
        let is_spared = |name: &str| {
            let mut above = name.match_indices('/').map(|(slash, _)| &name[..slash]);
            self.spared.contains(name) || above.any(|folder| self.spared.contains(folder))
        };
        all.iter().copied().filter(|found| !is_spared(&found.name)).collect()
    }
}
