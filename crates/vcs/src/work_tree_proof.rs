//! Verifies that the files of a work tree equal a commit by reading their bytes, because index,
//! settings and attributes can make git report any file as unchanged.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::conversion::{Candidate, Conversions, LineEnds};
use crate::path_text::{from_bytes, os_string};
use crate::proofs::Proofs;
use crate::proven_file::{FileProof, FileRules, prove};
use crate::tree_object::EntryMode;
use crate::{CommitId, Result, WorkTree};

/// Resolution of file times, in nanoseconds.
const CLOCK_GRAIN: i128 = 20_000_000;

const ATTRIBUTES: &[u8] = b".gitattributes";

/// How a work tree differs from the commit. Paths are relative to the project.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unproven {
    /// Files that are missing, of another kind, or have other contents.
    pub files: Vec<String>,
    /// Changed files inside of submodules.
    pub in_submodules: Vec<String>,
    /// Attribute files that apply to files of the commit and are not part of it.
    pub attributes: Vec<String>,
    /// Folders of the commit that became repositories, whose contents git does not read.
    pub repositories: Vec<String>,
}

impl Unproven {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl WorkTree {
    /// Compares every tracked file on disk with `commit`, except `skipped`.
    pub fn unproven_files(
        &self,
        proofs: &mut Proofs,
        commit: &CommitId,
        skipped: &dyn Fn(&str) -> bool,
        deadline: Instant,
    ) -> Result<Unproven> {
        self.compare(proofs, commit, skipped, LineEnds::OfCheckout, deadline)
    }

    /// The files among `paths` whose content on disk differs from `commit`.
    pub fn differing_files(
        &self,
        proofs: &mut Proofs,
        commit: &CommitId,
        paths: &[String],
        deadline: Instant,
    ) -> Result<Vec<String>> {
        let is_other = |path: &str| !paths.iter().any(|known| known == path);
        let unproven = self.unproven_files(proofs, commit, &is_other, deadline)?.files;
        let root = self.proven_tree(proofs, commit.as_str(), deadline)?;
        let has = |path: &String| {
            self.prefix.locate(path).is_some_and(|path| proofs.has_file(&root, &path.bytes()))
        };
        let unlike = paths.iter().filter(|path| unproven.contains(path) || !has(path));
        Ok(unlike.cloned().collect())
    }

    /// Like `unproven_files`, at the start of a run. Files that differ only in line endings are the
    /// user's and are accepted until they change.
    pub fn users_unproven_files(
        &self,
        proofs: &mut Proofs,
        commit: &CommitId,
        deadline: Instant,
    ) -> Result<Unproven> {
        self.compare(proofs, commit, &|_| false, LineEnds::OfUser, deadline)
    }

    fn compare(
        &self,
        proofs: &mut Proofs,
        commit: &CommitId,
        skipped: &dyn Fn(&str) -> bool,
        line_ends: LineEnds,
        deadline: Instant,
    ) -> Result<Unproven> {
        let root = self.proven_tree(proofs, commit.as_str(), deadline)?;
        let rules = self.file_rules(proofs, deadline)?;
        let found = Walk::of(self, proofs, rules, skipped, &root);
        let Comparison { mut unlike, candidates, attributes, repositories, submodules } = found;
        let conversions = Conversions { tree: self, commit, line_ends, deadline };
        unlike.extend(conversions.unconverted(proofs, candidates)?);
        let named = |paths: BTreeSet<Vec<u8>>| -> Vec<String> {
            paths.iter().map(|path| self.prefix.relative(path)).collect()
        };
        let in_submodules = self.unproven_in(proofs, submodules, skipped, deadline)?;
        let [files, attributes, repositories] = [unlike, attributes, repositories].map(named);
        Ok(Unproven { files, in_submodules, attributes, repositories })
    }

    /// From here on, files of the submodule are compared with its checked-out commit.
    pub fn accept_submodule(&self, proofs: &mut Proofs, name: &str, deadline: Instant) {
        let place = crate::on_disk(&self.project, name);
        let is_checked_out = place.join(".git").symlink_metadata().is_ok();
        let inside = if is_checked_out { Self::open(&place).ok() } else { None };
        let head = inside.and_then(|inside| inside.head(deadline).ok().flatten());
        proofs.accepted.extend(head.map(|head| (name.to_owned(), head.to_string())));
    }

    /// Treats submodules without files as not checked out.
    pub fn forget_empty_submodules(&self, proofs: &mut Proofs) {
        proofs.submodules.retain(|path, _| {
            let place = self.top.join(os_string(path));
            place.read_dir().is_ok_and(|mut files| files.next().is_some())
        });
    }

    fn file_rules(&self, proofs: &mut Proofs, deadline: Instant) -> Result<FileRules> {
        let settled = i128::from(self.disk_clock()?) - CLOCK_GRAIN;
        let (modes, links) = match proofs.file_settings {
            Some(known) => known,
            None => {
                let settings = self.write_settings(deadline)?;
                let is_on = |name: &str| settings.get(name).is_none_or(|value| value != "false");
                let read = (cfg!(unix) && is_on("core.filemode"), is_on("core.symlinks"));
                *proofs.file_settings.insert(read)
            }
        };
        Ok(FileRules { modes, links, settled })
    }

    /// Submodule settings are not guarded, so no conversion is applied.
    fn unproven_in(
        &self,
        proofs: &mut Proofs,
        submodules: Vec<(Vec<u8>, String)>,
        skipped: &dyn Fn(&str) -> bool,
        deadline: Instant,
    ) -> Result<Vec<String>> {
        let mut unproven = Vec::new();
        for (path, commit) in submodules {
            let name = self.prefix.relative(&path);
            let place = self.top.join(os_string(&path));
            let is_checked_out = place.join(".git").symlink_metadata().is_ok();
            if !is_checked_out {
                // A submodule that was never checked out has no files to compare.
                unproven.extend(proofs.submodules.contains_key(&path).then_some(name));
                continue;
            }
            let commit = proofs.accepted.get(&name).cloned().unwrap_or(commit);
            let own = proofs.submodules.entry(path).or_default();
            if skipped(&name) {
                continue;
            }
            let opened = WorkTree::open(&place).ok().and_then(|inside| {
                let root = inside.proven_tree(own, &commit, deadline).ok()?;
                let rules = inside.file_rules(own, deadline).ok()?;
                Some((inside, root, rules))
            });
            let Some((inside, root, rules)) = opened else {
                unproven.push(name);
                continue;
            };
            let found = Walk::of(&inside, own, rules, &|_| false, &root);
            let Comparison { unlike, candidates, .. } = found;
            let converted = candidates.into_iter().map(|candidate| candidate.path);
            let files = unlike.into_iter().chain(converted);
            unproven.extend(files.map(|file| format!("{name}/{}", from_bytes(&file))));
        }
        Ok(unproven)
    }
}

#[derive(Default)]
struct Comparison {
    unlike: BTreeSet<Vec<u8>>,
    /// Differing files that a conversion may explain.
    candidates: Vec<Candidate>,
    attributes: BTreeSet<Vec<u8>>,
    repositories: BTreeSet<Vec<u8>>,
    submodules: Vec<(Vec<u8>, String)>,
}

struct Walk<'w> {
    tree: &'w WorkTree,
    proofs: &'w mut Proofs,
    rules: FileRules,
    skipped: &'w dyn Fn(&str) -> bool,
    found: Comparison,
}

impl<'w> Walk<'w> {
    fn of(
        tree: &'w WorkTree,
        proofs: &'w mut Proofs,
        rules: FileRules,
        skipped: &'w dyn Fn(&str) -> bool,
        root: &str,
    ) -> Comparison {
        let mut walk = Self { tree, proofs, rules, skipped, found: Comparison::default() };
        walk.folder(&[], &tree.top, root);
        walk.found
    }

    fn folder(&mut self, prefix: &[u8], place: &Path, tree: &str) {
        let entries = self.proofs.entries(tree);
        let is_folder = place.symlink_metadata().is_ok_and(|found| found.is_dir());
        let has_attributes = entries.iter().any(|(name, _)| name == ATTRIBUTES);
        if is_folder && !has_attributes && place.join(".gitattributes").symlink_metadata().is_ok() {
            self.found.attributes.insert([prefix, ATTRIBUTES].concat());
        }
        if is_folder && !prefix.is_empty() && place.join(".git").symlink_metadata().is_ok() {
            self.found.repositories.insert(prefix.to_vec());
        }
        for (name, entry) in entries.iter() {
            let path = [prefix, name].concat();
            // Files behind a link are not those of the commit.
            let below = is_folder.then(|| place.join(os_string(name)));
            match entry.mode {
                EntryMode::Folder => {
                    let below = below.unwrap_or_else(|| PathBuf::from("/dev/null/none"));
                    self.folder(&[&path[..], b"/"].concat(), &below, &entry.id.0);
                }
                EntryMode::Submodule => self.found.submodules.push((path, entry.id.to_string())),
                mode => self.file(path, below, mode, &entry.id.0),
            }
        }
    }

    fn file(&mut self, path: Vec<u8>, place: Option<PathBuf>, mode: EntryMode, id: &str) {
        let known = self.proofs.files.get(&path);
        let proof = place
            .as_deref()
            .map_or(FileProof::Missing, |place| prove(place, mode, id, known, self.rules));
        match proof {
            FileProof::AsKnown => return,
            FileProof::Same(Some(proven)) => return drop(self.proofs.files.insert(path, proven)),
            FileProof::Same(None) => return drop(self.proofs.files.remove(&path)),
            _ => {}
        }
        if (self.skipped)(&self.tree.prefix.relative(&path)) {
            return;
        }
        match (proof, place) {
            (FileProof::OtherBytes(found), _)
                if self.proofs.users.get(&path).is_some_and(|known| known.is_still(&found)) => {}
            (FileProof::OtherBytes(found), Some(place)) => {
                let id = id.to_owned();
                self.found.candidates.push(Candidate { path, place, id, found });
            }
            _ => drop(self.found.unlike.insert(path)),
        }
    }
}
