//! Plans what happens to each path when a branch moves to another commit, before anything changes.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::git_call::GitCall;
use crate::index::{Index, IndexInfo, Staging};
use crate::repo_path::{Entries, OnDisk, PathSet, RepoPath};
use crate::tree_object::Entry;
use crate::tree_walk::Difference;
use crate::{CommitId, Result, VcsError, WorkTree};

#[derive(Debug, Default)]
pub(crate) struct Adoption {
    pub(crate) index: IndexInfo,
    pub(crate) removed: Vec<RepoPath>,
    /// Folders of removed submodules.
    pub(crate) emptied: Vec<RepoPath>,
    pub(crate) written: Vec<RepoPath>,
    pub(crate) submodules: Vec<RepoPath>,
    /// Paths with skip-worktree.
    pub(crate) hidden: Vec<RepoPath>,
    pub(crate) left: Vec<RepoPath>,
}

impl Adoption {
    pub(crate) fn plan(
        tree: &WorkTree,
        head: &CommitId,
        differences: &BTreeMap<RepoPath, Difference>,
        keep: &PathSet,
        deadline: Instant,
    ) -> Result<Self> {
        let mut plan = Self { index: IndexInfo::like(head.as_str()), ..Self::default() };
        let indexed = Indexed::read(tree, deadline)?;
        let not_kept = differences.keys().filter(|path| !keep.holds(&path.0));
        let on_disk = tree.as_entries(head, not_kept, deadline)?;
        for (path, difference) in differences {
            let staged = indexed.differs_from_both(path, difference, differences);
            if !staged {
                plan.index.set(path, difference[1].as_ref());
            }
            let found = tree.look(path)?;
            if indexed.is_hidden(path) && found == OnDisk::Absent {
                plan.hidden.extend((!staged && difference[1].is_some()).then(|| path.clone()));
            } else if keep.holds(&path.0) {
            } else if staged || !equals_either(found, on_disk.get(path), difference) {
                plan.left.push(path.clone());
            } else {
                plan.change(path.clone(), found, on_disk.get(path), difference);
            }
        }
        Ok(plan)
    }

    fn change(
        &mut self,
        path: RepoPath,
        found: OnDisk,
        entry: Option<&Entry>,
        difference: &Difference,
    ) {
        let [was, now] = difference;
        match now {
            Some(now) if now.is_submodule() => {
                self.removed.extend((found == OnDisk::File).then(|| path.clone()));
                self.submodules.push(path);
            }
            // Already has the new state.
            Some(now) if entry == Some(now) => {}
            Some(_) => self.written.push(path),
            None if found == OnDisk::File => self.removed.push(path),
            None if was.as_ref().is_some_and(Entry::is_submodule) => {
                self.emptied.push(path);
            }
            None => {}
        }
    }
}

/// Whether the file on disk equals one of the two commits, so that replacing it loses nothing. A
/// folder is checked when it is replaced.
fn equals_either(found: OnDisk, entry: Option<&Entry>, difference: &Difference) -> bool {
    match found {
        OnDisk::Absent | OnDisk::Folder => true,
        OnDisk::File => entry.is_some() && difference.iter().any(|side| side.as_ref() == entry),
        OnDisk::Special | OnDisk::Repository | OnDisk::InsideRepository => false,
    }
}

impl WorkTree {
    /// The files among `paths`, as they would be committed.
    fn as_entries<'a>(
        &self,
        head: &CommitId,
        paths: impl Iterator<Item = &'a RepoPath>,
        deadline: Instant,
    ) -> Result<Entries> {
        let present = self.only_files(paths.cloned())?;
        if present.is_empty() {
            return Ok(BTreeMap::new());
        }
        // Some conversions of git depend on the tracked content, so the index starts with that.
        let index = Index::with(self, Some(head.as_str()), deadline)?;
        let staging = Staging { present, ..Staging::default() };
        index.stage(&staging, deadline)?;
        let call = index.apply(GitCall::read(self, "ls-files").args(LIST));
        let mut indexed = Indexed::parse(&call.output(deadline)?)?;
        let entries = staging.present.into_iter().filter_map(|path| {
            let entry = indexed.0.remove(&path)?.entry?;
            Some((path, entry))
        });
        Ok(entries.collect())
    }
}

const LIST: [&str; 3] = ["-s", "-t", "-z"];

struct Indexed(BTreeMap<RepoPath, InIndex>);

struct InIndex {
    /// `None` during a conflict.
    entry: Option<Entry>,
    is_hidden: bool,
}

impl Indexed {
    fn read(tree: &WorkTree, deadline: Instant) -> Result<Self> {
        Self::parse(&GitCall::read(tree, "ls-files").args(LIST).output(deadline)?)
    }

    /// Parses `letter mode hash stage<TAB>name`.
    fn parse(output: &[u8]) -> Result<Self> {
        let lines = output.split(|byte| *byte == 0).filter(|line| !line.is_empty());
        let entries = lines.map(|line| {
            let tab = line.iter().position(|byte| *byte == b'\t')?;
            let facts: Vec<&str> = str::from_utf8(&line[..tab]).ok()?.split(' ').collect();
            let [letter, mode, hash, stage] = facts[..] else { return None };
            let entry = if stage == "0" { Some(Entry::new(mode.as_bytes(), hash)?) } else { None };
            Some((RepoPath::new(&line[tab + 1..]), InIndex { entry, is_hidden: letter == "S" }))
        });
        let entries = entries.collect::<Option<_>>();
        entries.map(Self).ok_or(VcsError::Unreadable { command: "ls-files" })
    }

    /// Whether the staged content matches neither commit, or a staged path conflicts with the new
    /// one.
    fn differs_from_both(
        &self,
        path: &RepoPath,
        difference: &Difference,
        all: &BTreeMap<RepoPath, Difference>,
    ) -> bool {
        let is_changed = |name: &RepoPath| {
            all.get(name).is_none_or(|difference| !self.equals_either(name, difference))
        };
        let below = self.0.range(path.inside()..).map(|(name, _)| name);
        let mut below = below.take_while(|name| path.holds(name));
        let mut displaces = || {
            below.any(is_changed)
                || path.above().any(|name| self.0.contains_key(&name) && is_changed(&name))
        };
        !self.equals_either(path, difference) || (difference[1].is_some() && displaces())
    }

    fn equals_either(&self, name: &RepoPath, difference: &Difference) -> bool {
        match self.0.get(name) {
            None => difference.contains(&None),
            Some(InIndex { entry: None, .. }) => false,
            Some(found) => difference.contains(&found.entry),
        }
    }

    fn is_hidden(&self, path: &RepoPath) -> bool {
        self.0.get(path).is_some_and(|found| found.is_hidden)
    }
}
