//! What no commit holds and is not where it was, found again among what would be thrown away.
//!
//! By what can be told without reading: size, time and mode, which a move leaves as they are, and
//! which file it is on its disk. Where that leads to several, none is chosen and all of them stay.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;

use crate::WorkTree;
use crate::inventory::{Found, FoundKind};
use crate::moved_search::{Candidate, Lost, Search, file_name};
use crate::not_as_before::is_repository;
use crate::path_text::on_disk;
use crate::stamp::{Stamp, born, inode};
use crate::target::Target;

/// What to do about it. None of these may be removed.
#[derive(Debug, Default)]
pub(crate) struct Moved<'a> {
    /// To the name that it had.
    pub(crate) back: Vec<(&'a Found, &'a str)>,
    /// What may be the one that had this name.
    pub(crate) unsure: Vec<(&'a Found, &'a str)>,
}

impl WorkTree {
    pub(crate) fn moved_away<'a>(&self, target: &Target<'a>, found: &'a [Found]) -> Moved<'a> {
        let lost = self.lost_files(target);
        let mut moved = Moved::default();
        if !lost.is_empty() {
            let places: HashSet<&str> = lost.iter().map(|lost| lost.name).collect();
            let is_at_risk = |found: &&Found| {
                found.kind == FoundKind::File
                    && (target.is_unknown(found)
                        || target.is_touched(found)
                        || places.contains(found.name.as_str()))
            };
            let candidates = found.iter().filter(is_at_risk);
            let candidates = candidates.filter_map(|found| Candidate::of(found, target.to.taken));
            moved = Search::new(candidates.collect()).run(lost);
        }
        self.add_repositories(&mut moved, target, found);
        moved.stay_out_of_the_way();
        moved
    }

    fn lost_files<'a>(&self, target: &Target<'a>) -> Vec<Lost<'a>> {
        let links = self.links_for_folders(target.to.ignored.files.keys());
        let files = target.to.ignored.files.iter();
        let files =
            files.filter(|(_, stamp)| matches!(stamp, Stamp::File { .. } | Stamp::Link { .. }));
        let is_lost = |(name, stamp): &(&String, &Stamp)| {
            let now = Stamp::of(&on_disk(&self.top, name));
            is_behind(&links, name) || now.is_none_or(|now| now.looks() != stamp.looks())
        };
        files.filter(is_lost).map(|(name, stamp)| Lost { name, stamp }).collect()
    }

    /// Folders of these names in whose place there is a link now: what is found behind one is another
    /// file, or the same one in another place.
    fn links_for_folders<'a>(&self, names: impl Iterator<Item = &'a String>) -> HashSet<&'a str> {
        let mut folders = HashSet::new();
        for name in names {
            folders.extend(name.match_indices('/').map(|(slash, _)| &name[..slash]));
        }
        folders.retain(|folder| on_disk(&self.top, folder).is_symlink());
        folders
    }

    /// A repository is moved back whole, unless the way to its git leads out of its folder.
    fn add_repositories<'a>(&self, moved: &mut Moved<'a>, target: &Target<'a>, found: &'a [Found]) {
        let ignored = &target.to.ignored;
        let repositories = ignored.files.iter().filter(|(_, stamp)| **stamp == Stamp::Repository);
        let links = self.links_for_folders(repositories.clone().map(|(name, _)| name));
        let lost = repositories.filter(|(name, _)| {
            is_behind(&links, name) || !is_repository(&on_disk(&self.top, name))
        });
        let lost: Vec<&str> = lost.map(|(name, _)| name.as_str()).collect();
        if lost.is_empty() {
            return;
        }
        let folders = found.iter().filter(|found| found.kind == FoundKind::Folder);
        let folders: Vec<&Found> = folders.filter(|found| target.is_unknown(found)).collect();
        let mut by_inode: HashMap<u64, &Found> = HashMap::new();
        for folder in &folders {
            by_inode.extend(old_inode(folder, target.to.taken).map(|inode| (inode, *folder)));
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
    /// Nothing comes back onto something that has to stay.
    fn stay_out_of_the_way(&mut self) {
        let mut stays: BTreeSet<&str> = BTreeSet::new();
        loop {
            stays.extend(self.unsure.iter().map(|(found, _)| found.name.as_str()));
            let is_open = |(_, name): &(&Found, &str)| !stays.contains(name);
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
    fn of(found: &'a Found, taken: u64) -> Option<Self> {
        let looks = Stamp::of(&found.place)?.looks();
        Some(Self { found, looks, inode: old_inode(found, taken) })
    }
}

/// None for what was made since: systems use an inode again that became free.
fn old_inode(found: &Found, taken: u64) -> Option<u64> {
    let now = fs::symlink_metadata(&found.place).ok()?;
    if born(&now).is_some_and(|born| born > taken) { None } else { inode(&now) }
}

/// And not only a file that says where its git is, by a path that is another one elsewhere.
fn holds_its_git(folder: &Found) -> bool {
    file_name(&folder.name) == ".git" || folder.place.join(".git").is_dir()
}

/// Whether both are repositories, or both are what a repository has in its `.git`.
fn is_like(folder: &Found, lost: &str) -> bool {
    match (file_name(&folder.name), file_name(lost)) {
        (".git", ".git") => true,
        (".git", _) | (_, ".git") => false,
        _ => is_repository(&folder.place),
    }
}

fn is_behind(links: &HashSet<&str>, name: &str) -> bool {
    name.match_indices('/').any(|(slash, _)| links.contains(&name[..slash]))
}
