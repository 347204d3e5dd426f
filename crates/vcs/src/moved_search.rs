//! Which of the files that are there are those that are not where they were. Looks at no disk.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use crate::inventory::Found;
use crate::moved_away::Moved;
use crate::stamp::Stamp;

/// Something that had this name and is not there as it was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lost<'a> {
    pub(crate) name: &'a str,
    pub(crate) stamp: &'a Stamp,
}

/// Something that would be removed or written over.
#[derive(Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) found: &'a Found,
    pub(crate) looks: Stamp,
    /// None if it was made since, and is another file for certain.
    pub(crate) inode: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct Search<'a> {
    free: Vec<Candidate<'a>>,
    moved: Moved<'a>,
}

/// Candidates by what they share.
type Groups<K> = HashMap<K, Vec<usize>>;

impl<'a> Search<'a> {
    pub(crate) fn new(candidates: Vec<Candidate<'a>>) -> Self {
        Self { free: candidates, moved: Moved::default() }
    }

    /// What is surer comes first, and what is found is no candidate any more.
    pub(crate) fn run(mut self, lost: Vec<Lost<'a>>) -> Moved<'a> {
        let lost = self.any_of_a_kind(
            lost,
            |lost| lost.stamp.inode().map(|inode| (lost.stamp.looks(), inode)),
            |found| found.inode.map(|inode| (found.looks.clone(), inode)),
        );
        let lost = self.only_of_a_kind(
            lost,
            |lost| (lost.stamp.looks(), file_name(lost.name)),
            |found| (found.looks.clone(), file_name(&found.found.name)),
        );
        let lost =
            self.only_of_a_kind(lost, |lost| lost.stamp.looks(), |found| found.looks.clone());
        let lost = self.any_of_a_kind(
            lost,
            |lost| matches!(lost.stamp, Stamp::Link { .. }).then(|| lost.stamp.looks()),
            |found| Some(found.looks.clone()),
        );
        let lost = self.several_of_a_kind(lost);
        let lost = self.changed_where_they_are(lost);
        self.any_of_a_kind(lost, |lost| lost.stamp.inode(), |found| found.inode);
        self.moved
    }

    /// Where all of a kind hold the same.
    fn any_of_a_kind<K: Hash + Eq>(
        &mut self,
        lost: Vec<Lost<'a>>,
        of_lost: impl Fn(&Lost<'a>) -> Option<K>,
        of_candidate: impl Fn(&Candidate<'a>) -> Option<K>,
    ) -> Vec<Lost<'a>> {
        let mut groups = self.groups(of_candidate);
        let mut taken = HashSet::new();
        let mut open = Vec::new();
        for lost in lost {
            let group = of_lost(&lost).and_then(|key| groups.get_mut(&key));
            match group.and_then(Vec::pop) {
                Some(index) => {
                    taken.insert(index);
                    self.moved.back.push((self.free[index].found, lost.name));
                }
                None => open.push(lost),
            }
        }
        self.drop_taken(&taken);
        open
    }

    /// Where one was lost and one is there.
    fn only_of_a_kind<K: Hash + Eq>(
        &mut self,
        lost: Vec<Lost<'a>>,
        of_lost: impl Fn(&Lost<'a>) -> K,
        of_candidate: impl Fn(&Candidate<'a>) -> K,
    ) -> Vec<Lost<'a>> {
        let groups = self.groups(|found| Some(of_candidate(found)));
        let mut wanted: HashMap<K, usize> = HashMap::new();
        for lost in &lost {
            *wanted.entry(of_lost(lost)).or_default() += 1;
        }
        let mut taken = HashSet::new();
        let mut open = Vec::new();
        for lost in lost {
            let key = of_lost(&lost);
            match groups.get(&key).map(Vec::as_slice) {
                Some([index]) if wanted.get(&key) == Some(&1) => {
                    taken.insert(*index);
                    self.moved.back.push((self.free[*index].found, lost.name));
                }
                _ => open.push(lost),
            }
        }
        self.drop_taken(&taken);
        open
    }

    fn several_of_a_kind(&mut self, lost: Vec<Lost<'a>>) -> Vec<Lost<'a>> {
        let mut groups = self.groups(|found| Some(found.looks.clone()));
        let mut told: HashSet<Stamp> = HashSet::new();
        let mut taken = HashSet::new();
        let mut open = Vec::new();
        for lost in lost {
            let looks = lost.stamp.looks();
            if let Some(group) = groups.remove(&looks) {
                let found = group.iter().map(|index| (self.free[*index].found, lost.name));
                self.moved.unsure.extend(found);
                taken.extend(group);
                told.insert(looks);
            } else if !told.contains(&looks) {
                open.push(lost);
            }
        }
        self.drop_taken(&taken);
        open
    }

    /// Nobody moved these.
    fn changed_where_they_are(&mut self, lost: Vec<Lost<'a>>) -> Vec<Lost<'a>> {
        let names = self.free.iter().enumerate();
        let names = names.map(|(index, found)| (found.found.name.as_str(), index));
        let names: BTreeMap<&str, usize> = names.collect();
        let here = |lost: &Lost<'a>| {
            let index = *names.get(lost.name)?;
            let inode = self.free[index].inode?;
            (lost.stamp.inode() == Some(inode)).then_some(index)
        };
        let taken: HashSet<usize> = lost.iter().filter_map(here).collect();
        let open = lost.into_iter().filter(|lost| here(lost).is_none()).collect();
        self.drop_taken(&taken);
        open
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
        let mut index = 0;
        self.free.retain(|_| {
            index += 1;
            !taken.contains(&(index - 1))
        });
    }
}

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
