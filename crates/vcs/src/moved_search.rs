//! Matches lost files with candidates, without disk access.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use crate::inventory::InventoryItem;
use crate::moved_away::Moved;
use crate::stamp::Stamp;

/// A file that is missing or changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lost<'a> {
    pub(crate) name: &'a str,
    pub(crate) stamp: &'a Stamp,
}

/// A file that would be removed or overwritten.
#[derive(Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) found: &'a InventoryItem,
    /// Without inode.
    pub(crate) stamp: Stamp,
    /// `None` if the file was created since, so it is a different one.
    pub(crate) inode: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct Search<'a> {
    free: Vec<Candidate<'a>>,
    moved: Moved<'a>,
}

/// How many files may share a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Count {
    /// Any number, because only files with equal contents have it.
    Any,
    /// One lost file and one candidate.
    One,
}

/// Candidates that share a key.
type Groups<K> = HashMap<K, Vec<usize>>;

impl<'a> Search<'a> {
    pub(crate) fn new(candidates: Vec<Candidate<'a>>) -> Self {
        Self { free: candidates, moved: Moved::default() }
    }

    /// Most certain matches first; a matched file is no candidate any more.
    pub(crate) fn run(mut self, lost: Vec<Lost<'a>>) -> Moved<'a> {
        let lost = self.match_by(
            Count::Any,
            lost,
            |lost| lost.stamp.inode().map(|inode| (lost.stamp.without_inode(), inode)),
            |found| found.inode.map(|inode| (found.stamp.clone(), inode)),
        );
        let lost = self.match_by(
            Count::One,
            lost,
            |lost| Some((lost.stamp.without_inode(), file_name(lost.name))),
            |found| Some((found.stamp.clone(), file_name(&found.found.name))),
        );
        let of_candidate = |found: &Candidate<'a>| Some(found.stamp.clone());
        let of_lost = |lost: &Lost<'a>| Some(lost.stamp.without_inode());
        let of_link = |lost: &Lost<'a>| {
            matches!(lost.stamp, Stamp::Link { .. }).then(|| lost.stamp.without_inode())
        };
        let lost = self.match_by(Count::One, lost, of_lost, of_candidate);
        let lost = self.match_by(Count::Any, lost, of_link, of_candidate);
        let lost = self.mark_ambiguous(lost);
        let lost = self.drop_changed_in_place(lost);
        self.match_by(Count::Any, lost, |lost| lost.stamp.inode(), |found| found.inode);
        self.moved
    }

    /// Matches files with equal keys. Returns the rest.
    fn match_by<K: Hash + Eq>(
        &mut self,
        count: Count,
        lost: Vec<Lost<'a>>,
        of_lost: impl Fn(&Lost<'a>) -> Option<K>,
        of_candidate: impl Fn(&Candidate<'a>) -> Option<K>,
    ) -> Vec<Lost<'a>> {
        let mut groups = self.groups(of_candidate);
        if count == Count::One {
            let mut wanted: HashMap<K, usize> = HashMap::new();
            for key in lost.iter().filter_map(&of_lost) {
                *wanted.entry(key).or_default() += 1;
            }
            groups.retain(|key, group| group.len() == 1 && wanted.get(key) == Some(&1));
        }
        let mut taken = HashSet::new();
        let mut unmatched = Vec::new();
        for lost in lost {
            let group = of_lost(&lost).and_then(|key| groups.get_mut(&key));
            match group.and_then(Vec::pop) {
                Some(index) => {
                    taken.insert(index);
                    self.moved.back.push((self.free[index].found, lost.name));
                }
                None => unmatched.push(lost),
            }
        }
        self.drop_taken(&taken);
        unmatched
    }

    fn mark_ambiguous(&mut self, lost: Vec<Lost<'a>>) -> Vec<Lost<'a>> {
        let mut groups = self.groups(|found| Some(found.stamp.clone()));
        let mut reported: HashSet<Stamp> = HashSet::new();
        let mut taken = HashSet::new();
        let mut unmatched = Vec::new();
        for lost in lost {
            let stamp = lost.stamp.without_inode();
            if let Some(group) = groups.remove(&stamp) {
                let found = group.iter().map(|index| (self.free[*index].found, lost.name));
                self.moved.unsure.extend(found);
                taken.extend(group);
                reported.insert(stamp);
            } else if !reported.contains(&stamp) {
                unmatched.push(lost);
            }
        }
        self.drop_taken(&taken);
        unmatched
    }

    /// Files that changed in place.
    fn drop_changed_in_place(&mut self, lost: Vec<Lost<'a>>) -> Vec<Lost<'a>> {
        let names = self.free.iter().enumerate();
        let names = names.map(|(index, found)| (found.found.name.as_str(), index));
        let names: BTreeMap<&str, usize> = names.collect();
        let here = |lost: &Lost<'a>| {
            let index = *names.get(lost.name)?;
            let inode = self.free[index].inode?;
            (lost.stamp.inode() == Some(inode)).then_some(index)
        };
        let taken: HashSet<usize> = lost.iter().filter_map(here).collect();
        let unmatched = lost.into_iter().filter(|lost| here(lost).is_none()).collect();
        self.drop_taken(&taken);
        unmatched
    }

    fn groups<K: Hash + Eq>(&self, key: impl Fn(&Candidate<'a>) -> Option<K>) -> Groups<K> {
        let mut groups: Groups<K> = HashMap::new();
        for (index, candidate) in self.free.iter().enumerate() {
            if let Some(key) = key(candidate) {
                groups.entry(key).or_default().push(index);
            }
        }
        groups
    }

    fn drop_taken(&mut self, taken: &HashSet<usize>) {
        let mut indexes = 0..;
        self.free.retain(|_| indexes.next().is_some_and(|index| !taken.contains(&index)));
    }
}

pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
