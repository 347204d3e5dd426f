//! Walks all files of a work tree, tracked or not, and removes files and folders regardless of their
//! modes.
//!
//! git lists neither empty folders nor pipes nor unreadable folders, and would need two calls. Only
//! names and kinds are read.

use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::path_text::from_os;
use crate::stamp::{mode, set_mode};
use crate::vcs_error::disk;
use crate::{Result, WorkTree};

#[derive(Debug)]
pub(crate) struct InventoryItem {
    /// From the repository root.
    pub(crate) name: String,
    pub(crate) place: PathBuf,
    pub(crate) kind: ItemKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemKind {
    /// Or a link, or anything else that is no folder.
    File,
    Folder,
    EmptyFolder,
    /// A nested repository, not entered.
    Repository,
    /// Unreadable.
    Closed,
}

/// Decides how folders are treated; differs between checkpoint and rollback.
pub(crate) trait Visit {
    /// Whether not to enter a folder, by its path from the root.
    fn is_repository(&self, name: &str, has_git: bool) -> bool;

    /// Called for an unreadable folder: whether to try again.
    fn retries(&self, name: &str, folder: &Path) -> bool;
}

struct Walk<'a> {
    tree: &'a WorkTree,
    excluded: &'a dyn Fn(&str) -> bool,
    found: Vec<InventoryItem>,
    /// Not yet entered.
    folders: Vec<(String, PathBuf)>,
}

impl WorkTree {
    /// A folder precedes its contents. `excluded` are paths of the project; folders end in a slash.
    pub(crate) fn inventory(
        &self,
        visit: &dyn Visit,
        excluded: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<InventoryItem>> {
        let mut walk = Walk { tree: self, excluded, found: Vec::new(), folders: Vec::new() };
        walk.enter("", list(&self.top).map_err(disk(&self.top))?);
        while let Some((name, place)) = walk.folders.pop() {
            let entries = match list(&place) {
                Err(_) if visit.retries(&name, &place) => list(&place),
                entries => entries,
            };
            let kind = kind(&name, &entries, visit);
            if kind == ItemKind::Folder {
                walk.found.push(InventoryItem { name: name.clone(), place, kind });
                walk.enter(&format!("{name}/"), entries.unwrap_or_default());
            } else {
                walk.found.push(InventoryItem { name, place, kind });
            }
        }
        Ok(walk.found)
    }
}

impl Walk<'_> {
    fn enter(&mut self, prefix: &str, entries: Vec<DirEntry>) {
        for entry in entries {
            let name = format!("{prefix}{}", from_os(&entry.file_name()));
            if name == ".git" {
                continue;
            }
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let slash = if is_folder { "/" } else { "" };
            let path = self.tree.prefix.relative_text(&format!("{name}{slash}"));
            if (self.excluded)(&path) {
                continue;
            }
            if is_folder {
                self.folders.push((name, entry.path()));
            } else {
                self.found.push(InventoryItem { name, place: entry.path(), kind: ItemKind::File });
            }
        }
    }
}

fn list(folder: &Path) -> io::Result<Vec<DirEntry>> {
    fs::read_dir(folder)?.collect()
}

fn kind(name: &str, entries: &io::Result<Vec<DirEntry>>, visit: &dyn Visit) -> ItemKind {
    let inside = entries.as_deref().unwrap_or_default();
    let has_git = inside.iter().any(|entry| entry.file_name() == ".git");
    match entries {
        _ if visit.is_repository(name, has_git) => ItemKind::Repository,
        Ok(entries) if entries.is_empty() => ItemKind::EmptyFolder,
        Ok(_) => ItemKind::Folder,
        Err(_) => ItemKind::Closed,
    }
}

/// Removes all paths, contents before their folder. Returns those that could not be removed, such
/// as non-empty folders.
///
/// In `all`, folders precede their contents.
pub(crate) fn remove_all<'a>(all: &[&'a InventoryItem]) -> Vec<(&'a InventoryItem, io::Error)> {
    let mut stayed = Vec::new();
    for found in all.iter().rev() {
        let removed = match found.kind {
            ItemKind::File => with_open_parent(&found.place, |place| fs::remove_file(place)),
            _ => with_open_parent(&found.place, |place| fs::remove_dir(place)),
        };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => stayed.push((*found, error)),
            _ => {}
        }
    }
    stayed
}

pub(crate) fn with_open_parent(
    place: &Path,
    act: impl Fn(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let is_opened = || place.parent().is_some_and(open_up);
    match act(place) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && is_opened() => act(place),
        done => done,
    }
}

/// Whether the owner's access to a closed folder could be restored.
pub(crate) fn open_up(folder: &Path) -> bool {
    let found = fs::symlink_metadata(folder).ok().filter(fs::Metadata::is_dir);
    let closed = found.map(|found| mode(&found)).filter(|mode| cfg!(unix) && mode & 0o700 != 0o700);
    closed.is_some_and(|mode| set_mode(folder, mode | 0o700).is_ok())
}
