//! Reads git objects in-process, because starting git is slower than its answer.
//!
//! libgit2 verifies the hash of every object it reads. It gets only the objects folder: no
//! settings, refs, replacements or commit graph, so no control file needs a check first. The git
//! program handles objects that libgit2 cannot read and files that could block, such as pipes.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use git2::{ObjectType, Odb, OdbObject, Oid};

use crate::objects::{PROVEN, Verified};
use crate::tree_object::{self, DEEPEST, Entry, EntryMode, TreeEntries};
use crate::tree_walk::{Differences, differences};
use crate::{BlobContents, WorkTree};

/// Limit for objects that are read as a whole.
const LARGEST: u64 = 32 * 1024 * 1024;

/// Limit of commits per query.
const LONGEST_WALK: usize = 1000;

/// How often the git program was used instead of libgit2.
static LEFT_TO_GIT: AtomicU64 = AtomicU64::new(0);

/// The object database, opened per query, so that no data is outdated.
pub(crate) struct ObjectStore {
    odb: Odb<'static>,
    folder: PathBuf,
    /// Reads fail after it.
    deadline: Instant,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) tree: String,
    pub(crate) parents: Vec<String>,
}

impl WorkTree {
    /// The result of `read`. `None` if git must be asked.
    pub(crate) fn in_process<T>(
        &self,
        question: &'static str,
        deadline: Instant,
        read: impl FnOnce(&ObjectStore) -> Option<T>,
    ) -> Option<T> {
        let answer = ObjectStore::open(self, deadline).and_then(|store| read(&store));
        if answer.is_none() {
            left_to_git(question);
        }
        answer
    }
}

pub(crate) fn left_to_git(question: &'static str) {
    let number = LEFT_TO_GIT.fetch_add(1, Ordering::Relaxed) + 1;
    log::debug!("using the git program for: {question} ({number} so far)");
}

/// Opening a pipe would block.
fn is_file_or_absent(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |found| found.is_file())
}

impl ObjectStore {
    pub(crate) fn open(tree: &WorkTree, deadline: Instant) -> Option<Self> {
        let folder = tree.common_dir.join("objects");
        let packs = fs::read_dir(folder.join("pack")).into_iter().flatten().flatten();
        let mut opened = packs.map(|entry| entry.path()).chain([folder.join("info/alternates")]);
        if !opened.all(|file| is_file_or_absent(&file)) {
            return None;
        }
        let odb = Odb::new().ok()?;
        odb.add_disk_alternate(folder.to_str()?).ok()?;
        Some(Self { odb, folder, deadline })
    }

    fn size(&self, name: &str) -> Option<u64> {
        let id = self.id(name)?;
        self.odb.read_header(id).ok().map(|(bytes, _)| bytes as u64)
    }

    /// `None` if missing, corrupt or too large.
    fn read(&self, name: &str) -> Option<OdbObject<'_>> {
        self.size(name).filter(|bytes| *bytes <= LARGEST)?;
        self.odb.read(self.id(name)?).ok()
    }

    /// `None` if the id is invalid, its file is no regular file, or the deadline passed.
    fn id(&self, name: &str) -> Option<Oid> {
        if Instant::now() >= self.deadline {
            return None;
        }
        let id = Oid::from_str(name).ok().filter(|id| id.to_string() == name)?;
        let (folder, file) = name.split_at_checked(2)?;
        is_file_or_absent(&self.folder.join(folder).join(file)).then_some(id)
    }

    /// Returns only the size if it exceeds `limit`.
    pub(crate) fn blob(&self, name: &str, limit: u64) -> Option<BlobContents> {
        let object = match self.size(name)? {
            bytes if bytes > limit => return Some(BlobContents::TooLarge { bytes }),
            _ => self.read(name)?,
        };
        let is_blob = object.kind() == ObjectType::Blob;
        is_blob.then(|| BlobContents::Read(object.data().to_vec()))
    }

    pub(crate) fn commit(&self, name: &str) -> Option<Commit> {
        let object = self.read(name)?;
        (object.kind() == ObjectType::Commit).then(|| Commit::parse(object.data()))?
    }

    pub(crate) fn tree(&self, name: &str) -> Option<TreeEntries> {
        let object = self.read(name)?;
        (object.kind() == ObjectType::Tree).then(|| tree_object::parse(object.data(), 20))?
    }

    /// Commits and trees with their contents; omits objects that cannot be read here.
    pub(crate) fn verified(&self, names: &[String]) -> Verified {
        let mut verified = Verified::default();
        for name in names {
            if let Some(object) = self.read(name) {
                verified.take(name, &object);
            }
        }
        verified
    }

    /// The tree of a commit, of its second parent (`name^2`), or the named tree.
    fn tree_of(&self, treeish: &str) -> Option<String> {
        match treeish.strip_suffix("^2") {
            Some(name) => Some(self.commit(self.commit(name)?.parents.get(1)?)?.tree),
            None => match self.read(treeish)?.kind() {
                ObjectType::Tree => Some(treeish.to_owned()),
                _ => Some(self.commit(treeish)?.tree),
            },
        }
    }

    /// Every file of a commit or tree by its path.
    pub(crate) fn files(&self, treeish: &str) -> Option<Vec<(Vec<u8>, Entry)>> {
        let (mut files, mut folders) = (Vec::new(), vec![(Vec::new(), self.tree_of(treeish)?)]);
        while let Some((prefix, tree)) = folders.pop() {
            for (name, entry) in self.tree(&tree)?.iter() {
                let path = [&prefix[..], name].concat();
                match entry.mode {
                    EntryMode::Folder => {
                        folders.push(([&path[..], b"/"].concat(), entry.id.to_string()));
                    }
                    _ => files.push((path, entry.clone())),
                }
            }
        }
        Some(files)
    }

    /// The entry at this path in a commit.
    pub(crate) fn entry(&self, commit: &str, path: &[u8]) -> Option<Option<Entry>> {
        tree_object::find(&self.commit(commit)?.tree, path, |tree| self.tree(tree))
    }

    pub(crate) fn differences(&self, from: &str, to: &str) -> Option<Differences> {
        let [from, to] = [self.commit(from)?.tree, self.commit(to)?.tree];
        differences([&from, &to], &|tree| self.tree(tree))
    }

    /// A commit is its own ancestor.
    pub(crate) fn is_ancestor(&self, ancestor: &str, descendant: &str) -> Option<bool> {
        let is_met = self.walk(ancestor, descendant)?.is_met;
        // A missing commit is an error, which git reports.
        self.commit(ancestor).map(|_| is_met)
    }

    /// Walks back from `to` up to `from`. `None` if there are too many commits.
    fn walk(&self, from: &str, to: &str) -> Option<Walk> {
        let mut walk = Walk::default();
        let mut next = vec![to.to_owned()];
        while let Some(name) = next.pop() {
            if name == from {
                walk.is_met = true;
            } else if !walk.commits.contains_key(&name) {
                let commit = self.commit(&name).filter(|_| walk.commits.len() < LONGEST_WALK)?;
                next.extend(commit.parents.iter().cloned());
                walk.commits.insert(name, commit);
            }
        }
        Some(walk)
    }

    /// Verifies all objects that are in `to` and not in `from`. `None` if one cannot be read here.
    pub(crate) fn new_objects(&self, from: &str, to: &str) -> Option<Verified> {
        let walk = self.walk(from, to)?;
        let mut new = NewObjects { store: self, seen: HashSet::new(), found: Verified::default() };
        for (name, commit) in &walk.commits {
            new.take(name)?;
            let parents = commit.parents.iter();
            let before: Option<Vec<_>> = parents.map(|it| Some(self.commit(it)?.tree)).collect();
            new.tree(&commit.tree, before?, 0)?;
        }
        Some(new.found)
    }
}

#[derive(Default)]
struct Walk {
    /// Without `from`.
    commits: HashMap<String, Commit>,
    /// Whether `from` was reached.
    is_met: bool,
}

struct NewObjects<'s> {
    store: &'s ObjectStore,
    seen: HashSet<String>,
    found: Verified,
}

impl NewObjects<'_> {
    fn take(&mut self, name: &str) -> Option<()> {
        self.found.take(name, &self.store.read(name)?);
        Some(())
    }

    /// Skips entries that one of the trees `before` has at the same path.
    fn tree(&mut self, name: &str, before: Vec<String>, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        if !self.seen.insert(name.to_owned()) {
            return Some(());
        }
        self.take(name)?;
        let mut known: HashMap<Vec<u8>, Vec<Entry>> = HashMap::new();
        for tree in before {
            for (name, entry) in self.store.tree(&tree)?.iter() {
                known.entry(name.clone()).or_default().push(entry.clone());
            }
        }
        for (name, entry) in self.store.tree(name)?.iter() {
            let old = known.remove(name).unwrap_or_default();
            if entry.is_submodule() || old.iter().any(|old| old.id == entry.id) {
                continue;
            }
            if entry.mode == EntryMode::Folder {
                let folders = old.into_iter().filter(|old| old.mode == EntryMode::Folder);
                self.tree(&entry.id.0, folders.map(|old| old.id.0).collect(), depth + 1)?;
            } else if self.seen.insert(entry.id.to_string()) {
                self.take(&entry.id.0)?;
            }
        }
        Some(())
    }
}

impl Verified {
    fn take(&mut self, name: &str, object: &OdbObject<'_>) {
        let kind = object.kind();
        let content = if PROVEN.contains(&kind) { object.data() } else { &[] };
        self.contents.insert(name.to_owned(), (kind, content.to_vec()));
    }
}

impl Commit {
    /// Parses `tree name<LF>parent name<LF>…`.
    pub(crate) fn parse(content: &[u8]) -> Option<Self> {
        let mut lines = content.split(|byte| *byte == b'\n');
        let named = |line: &[u8], field: &[u8]| {
            let name = str::from_utf8(line.strip_prefix(field)?).ok()?;
            let is_name = matches!(name.len(), 40 | 64)
                && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            is_name.then(|| name.to_owned())
        };
        let tree = named(lines.next()?, b"tree ")?;
        let parents = lines.take_while(|line| line.starts_with(b"parent "));
        let parents = parents.map(|line| named(line, b"parent ")).collect::<Option<_>>()?;
        Some(Self { tree, parents })
    }
}

#[cfg(test)]
mod tests;
