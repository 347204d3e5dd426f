//! Finds moved uncommitted files among those that a rollback would remove.
//!
//! Compares metadata only: size, time and mode, which a move preserves, and the inode. If several
//! files match, all of them stay.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;

use crate::inventory::{InventoryItem, ItemKind};
use crate::moved_search::{Candidate, Lost, Search, file_name};
use crate::path_text::on_disk;
use crate::rolled_back::is_repository;
use crate::stamp::{Stamp, created_at, inode};
use crate::target::Target;

/// None of these files may be removed.
#[derive(Debug, Default)]
pub(crate) struct Moved<'a> {
    /// Files to move back to the given name.
    pub(crate) back: Vec<(&'a InventoryItem, &'a str)>,
    /// Files that may be the one of the given name.
    pub(crate) unsure: Vec<(&'a InventoryItem, &'a str)>,
}

impl<'a> Target<'a> {
    pub(crate) fn moved_away(&self, found: &'a [InventoryItem]) -> Moved<'a> {
        let lost = self.lost_files();
        let mut moved = Moved::default();
        if !lost.is_empty() {
            let places: HashSet<&str> = lost.iter().map(|lost| lost.name).collect();
            let is_at_risk = |found: &&InventoryItem| {
                found.kind == ItemKind::File
                    && (self.is_unknown(found)
                        || self.is_touched(found)
                        || places.contains(found.name.as_str()))
            };
            let candidates = found.iter().filter(is_at_risk);
            let candidates = candidates.filter_map(|found| Candidate::of(found, self.to.taken));
            moved = Search::new(candidates.collect()).run(lost);
        }
        self.add_repositories(&mut moved, found);
        moved.drop_conflicts();
        moved
    }

    fn lost_files(&self) -> Vec<Lost<'a>> {
        let links = self.links_for_folders(self.to.ignored.files.keys());
        let files = self.to.ignored.files.iter();
        let files =
            files.filter(|(_, stamp)| matches!(stamp, Stamp::File { .. } | Stamp::Link { .. }));
        let is_lost = |(name, stamp): &(&String, &Stamp)| {
            let now = Stamp::of(&on_disk(&self.tree.top, name));
            is_behind(&links, name)
                || now.is_none_or(|now| now.without_inode() != stamp.without_inode())
        };
        files.filter(is_lost).map(|(name, stamp)| Lost { name, stamp }).collect()
    }

    /// Folders of these names that are links now: files behind them are different files.
    fn links_for_folders(&self, names: impl Iterator<Item = &'a String>) -> HashSet<&'a str> {
        let mut folders = HashSet::new();
        for name in names {
            folders.extend(name.match_indices('/').map(|(slash, _)| &name[..slash]));
        }
        folders.retain(|folder| on_disk(&self.tree.top, folder).is_symlink());
        folders
    }

    /// Moves a repository back as a whole, unless its git folder is outside.
    fn add_repositories(&self, moved: &mut Moved<'a>, found: &'a [InventoryItem]) {
        let ignored = &self.to.ignored;
        let repositories = ignored.files.iter().filter(|(_, stamp)| **stamp == Stamp::Repository);
        let links = self.links_for_folders(repositories.clone().map(|(name, _)| name));
        let lost = repositories.filter(|(name, _)| {
            is_behind(&links, name) || !is_repository(&on_disk(&self.tree.top, name))
        });
        let lost: Vec<&str> = lost.map(|(name, _)| name.as_str()).collect();
        if lost.is_empty() {
            return;
        }
        let folders = found.iter().filter(|found| found.kind == ItemKind::Folder);
        let folders: Vec<&InventoryItem> = folders.filter(|found| self.is_unknown(found)).collect();
        let mut by_inode: HashMap<u64, &InventoryItem> = HashMap::new();
        for folder in &folders {
            by_inode.extend(old_inode(folder, self.to.taken).map(|inode| (inode, *folder)));
        }
        for name in lost {
            match ignored.repositories.get(name) {
                Some(inode) => match by_inode.get(inode) {
                    Some(folder) if holds_its_git(folder) => {
                        moved.back.push((folder, name));
                    }
                    Some(folder) => moved.unsure.push((folder, name)),
                    None => {}
                },
                None => {
                    let others = folders.iter().filter(|folder| is_like(folder, name));
                    moved.unsure.extend(others.map(|folder| (*folder, name)));
                }
            }
        }
    }
}

impl Moved<'_> {
    /// No file is moved onto one that must stay.
    fn drop_conflicts(&mut self) {
        let mut stays: BTreeSet<&str> = BTreeSet::new();
        loop {
            stays.extend(self.unsure.iter().map(|(found, _)| found.name.as_str()));
            let is_open = |(_, name): &(&InventoryItem, &str)| !stays.contains(name);
            let (back, unsure): (Vec<_>, Vec<_>) = self.back.drain(..).partition(is_open);
            self.back = back;
            if unsure.is_empty() {
                return;
            }
            self.unsure.extend(unsure);
        }
    }
}

impl<'a> Candidate<'a> {
    fn of(found: &'a InventoryItem, taken: u64) -> Option<Self> {
        let stamp = Stamp::of(&found.place)?.without_inode();
        Some(Self { found, stamp, inode: old_inode(found, taken) })
    }
}

/// `None` for a file created since, because systems reuse inodes.
fn old_inode(found: &InventoryItem, taken: u64) -> Option<u64> {
    let now = fs::symlink_metadata(&found.place).ok()?;
    if created_at(&now).is_some_and(|created| created > taken) { None } else { inode(&now) }
}

/// Excludes a `.git` file with a relative path, which would break.
fn holds_its_git(folder: &InventoryItem) -> bool {
    file_name(&folder.name) == ".git" || folder.place.join(".git").is_dir()
}

/// Whether both are repositories, or both are the contents of a `.git` folder.
fn is_like(folder: &InventoryItem, lost: &str) -> bool {
    match (file_name(&folder.name), file_name(lost)) {
        (".git", ".git") => true,
        (".git", _) | (_, ".git") => false,
        _ => is_repository(&folder.place),
    }
}

fn is_behind(links: &HashSet<&str>, name: &str) -> bool {
    name.match_indices('/').any(|(slash, _)| links.contains(&name[..slash]))
}
