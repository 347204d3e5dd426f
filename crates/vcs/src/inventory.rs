//! Everything that lies in a work tree, tracked or not, by one walk through its folders.
//!
//! Not by git: it names neither empty folders nor pipes nor folders that it may not read, and would
//! have to be asked twice. No file is looked at beyond its name and kind.

use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use crate::path_text::from_os;
use crate::{VcsError, WorkTree};

#[derive(Debug)]
pub(crate) struct Found {
    /// From the top of the repository.
    pub(crate) name: String,
    pub(crate) place: PathBuf,
    pub(crate) kind: FoundKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoundKind {
    /// Or a link, or anything else that is no folder.
    File,
    Folder,
    /// With nothing in it.
    EmptyFolder,
    /// With a repository of its own, and not entered.
    Repository,
    /// It cannot be read.
    Closed,
}

/// How a folder is met, which is not the same before somebody works here and afterwards.
pub(crate) trait Visit {
    /// Never looked at, by the path as the project knows it; a folder has a slash at its end.
    fn passes_over(&self, path: &str) -> bool;

    /// Whether not to enter a folder, by its name from the top.
    fn is_repository(&self, name: &str, holds_git: HoldsGit) -> bool;

    /// Whether another attempt is worth it.
    fn refused(&self, name: &str, folder: &Path) -> bool;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HoldsGit {
    Yes,
    No,
}

impl WorkTree {
    /// A folder comes before what is in it.
    pub(crate) fn inventory(&self, visit: &dyn Visit) -> Result<Vec<Found>, VcsError> {
        let mut walk = Walk { tree: self, visit, found: Vec::new(), folders: Vec::new() };
        let disk = |error| VcsError::Disk { path: self.top.clone(), error };
        walk.enter("", list(&self.top).map_err(disk)?);
        while let Some((name, place)) = walk.folders.pop() {
            let entries = match list(&place) {
                Err(_) if visit.refused(&name, &place) => list(&place),
                entries => entries,
            };
            let kind = kind(&name, &entries, visit);
            if kind == FoundKind::Folder {
                walk.found.push(Found { name: name.clone(), place, kind });
                walk.enter(&format!("{name}/"), entries.unwrap_or_default());
            } else {
                walk.found.push(Found { name, place, kind });
            }
        }
        Ok(walk.found)
    }
}

struct Walk<'a> {
    tree: &'a WorkTree,
    visit: &'a dyn Visit,
    found: Vec<Found>,
    /// Still to be entered.
    folders: Vec<(String, PathBuf)>,
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
            if self.visit.passes_over(&path) {
                continue;
            }
            if is_folder {
                self.folders.push((name, entry.path()));
            } else {
                self.found.push(Found { name, place: entry.path(), kind: FoundKind::File });
            }
        }
    }
}

fn list(folder: &Path) -> io::Result<Vec<DirEntry>> {
    fs::read_dir(folder)?.collect()
}

fn kind(name: &str, entries: &io::Result<Vec<DirEntry>>, visit: &dyn Visit) -> FoundKind {
    let inside = entries.as_deref().unwrap_or_default();
    let has_git = inside.iter().any(|entry| entry.file_name() == ".git");
    let holds_git = if has_git { HoldsGit::Yes } else { HoldsGit::No };
    match entries {
        _ if visit.is_repository(name, holds_git) => FoundKind::Repository,
        Ok(entries) if entries.is_empty() => FoundKind::EmptyFolder,
        Ok(_) => FoundKind::Folder,
        Err(_) => FoundKind::Closed,
    }
}
