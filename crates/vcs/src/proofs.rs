//! Caches which commits and files were verified. The cache is in memory, where agents cannot change
//! it.
//!
//! A tree is verified once per id. A file is verified again when its inode, size or times change.

use std::collections::HashMap;
use std::time::Instant;

use git2::ObjectType;

use crate::object_store::{Commit, ObjectStore};
use crate::objects::{BadObject, ObjectFault, Verified};
use crate::proven_file::{OtherFile, ProvenFile};
use crate::tree_object::{self, EntryMode, TreeEntries};
use crate::tree_walk::{Differences, differences};
use crate::tree_walk::{TreeSizes, TreeTooLarge};
use crate::{CommitId, Result, VcsError, WorkTree};

#[derive(Debug, Default)]
pub struct Proofs {
    /// The tree of each commit.
    commits: HashMap<String, String>,
    trees: HashMap<String, TreeEntries>,
    /// By path from the top of the work tree.
    pub(crate) files: HashMap<Vec<u8>, ProvenFile>,
    /// Files with unusual line endings that the user had at the start of the run.
    pub(crate) users: HashMap<Vec<u8>, OtherFile>,
    pub(crate) submodules: HashMap<Vec<u8>, Proofs>,
    /// Submodules accepted at another commit than the committed one, by name.
    pub(crate) accepted: HashMap<String, String>,
    /// Whether the file system supports modes and links. Read once, because the settings are
    /// guarded.
    pub(crate) file_settings: Option<(bool, bool)>,
}

impl WorkTree {
    /// Verifies all objects that are in `to` and not in `from`. Returns the bad ones.
    pub fn prove_objects(
        &self,
        proofs: &mut Proofs,
        from: &CommitId,
        to: &CommitId,
        deadline: Instant,
    ) -> Result<Vec<BadObject>> {
        if from == to {
            return Ok(Vec::new());
        }
        let new = |store: &ObjectStore| store.new_objects(from.as_str(), to.as_str());
        let verified = match self.in_process("new objects", deadline, new) {
            Some(verified) => verified,
            None => match self.objects_since(from, to, deadline) {
                Ok(names) => self.verified(&names, deadline)?,
                // git cannot follow the history: an object is missing or invalid.
                Err(VcsError::Failed { .. }) => return Ok(vec![unreadable(to)]),
                Err(error) => return Err(error),
            },
        };
        let mut bad = proofs.take_in(verified, to.as_str());
        let root = proofs.commits.get(to.as_str());
        if root.is_some_and(|root| proofs.missing_below(root).is_err()) {
            bad.push(unreadable(to));
        }
        Ok(bad)
    }

    /// The tree of `commit`, with all subtrees verified. A bad object is an error.
    pub(crate) fn proven_tree(
        &self,
        proofs: &mut Proofs,
        commit: &str,
        deadline: Instant,
    ) -> Result<String> {
        let prove = |proofs: &mut Proofs, names: &[String]| -> Result<()> {
            let bad = proofs.take_in(self.verified(names, deadline)?, commit).into_iter().next();
            bad.map_or(Ok(()), |bad| Err(VcsError::BadObject { name: bad.name }))
        };
        if !proofs.commits.contains_key(commit) {
            prove(proofs, &[commit.to_owned()])?;
        }
        let unreadable = || VcsError::BadObject { name: commit.to_owned() };
        let root = proofs.commits.get(commit).cloned().ok_or_else(unreadable)?;
        loop {
            let missing = proofs.missing_below(&root).map_err(|TreeTooLarge| unreadable())?;
            if missing.is_empty() {
                return Ok(root);
            }
            prove(proofs, &missing)?;
        }
    }

    /// Every file that differs between two commits, with both entries.
    pub(crate) fn proven_differences(
        &self,
        proofs: &mut Proofs,
        commits: [&CommitId; 2],
        deadline: Instant,
    ) -> Result<Differences> {
        let [was, now] = commits.map(|it| self.proven_tree(proofs, it.as_str(), deadline));
        let read = |tree: &str| Some(proofs.entries(tree));
        let unreadable = || VcsError::BadObject { name: commits[1].to_string() };
        differences([&was?, &now?], &read).ok_or_else(unreadable)
    }
}

fn unreadable(commit: &CommitId) -> BadObject {
    BadObject { name: commit.to_string(), fault: ObjectFault::Unreadable }
}

impl Proofs {
    /// Returns the bad objects. `like` is any id of the repository.
    fn take_in(&mut self, verified: Verified, like: &str) -> Vec<BadObject> {
        let Verified { contents, mut bad } = verified;
        for (name, (kind, content)) in contents {
            let is_parsed = match kind {
                ObjectType::Commit => Commit::parse(&content)
                    .map(|commit| drop(self.commits.insert(name.clone(), commit.tree))),
                ObjectType::Tree => tree_object::parse(&content, like.len() / 2)
                    .map(|entries| drop(self.trees.insert(name.clone(), entries))),
                _ => Some(()),
            };
            if is_parsed.is_none() {
                bad.push(BadObject { name, fault: ObjectFault::Unreadable });
            }
        }
        bad
    }

    /// The trees that are not verified yet.
    fn missing_below(&self, root: &str) -> Result<Vec<String>, TreeTooLarge> {
        let mut sizes =
            TreeSizes { trees: &self.trees, sizes: HashMap::new(), missing: Vec::new() };
        sizes.size(root, 0)?;
        Ok(sizes.missing)
    }

    pub(crate) fn entries(&self, tree: &str) -> TreeEntries {
        self.trees.get(tree).cloned().unwrap_or_default()
    }

    /// Whether a verified tree has a file, link or submodule of this name.
    pub(crate) fn has_file(&self, root: &str, path: &[u8]) -> bool {
        let found = tree_object::find(root, path, |tree| Some(self.entries(tree)));
        found.flatten().is_some_and(|entry| entry.mode != EntryMode::Folder)
    }
}
