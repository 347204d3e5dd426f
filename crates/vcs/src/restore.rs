//! Restores single paths from a commit.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::git_call::{GitCall, zero_ended};
use crate::index::{IndexInfo, Staging};
use crate::object_store::ObjectStore;
use crate::path_text::from_os;
use crate::repo_path::{Entries, OnDisk, RepoPath};
use crate::tree_object::Entry;
use crate::vcs_error::disk;
use crate::{CommitId, Result, VcsError, WorkTree};

/// Decided before anything changes.
#[derive(Debug, Default)]
struct Plan {
    restored: Entries,
    removed: BTreeSet<RepoPath>,
}

impl WorkTree {
    /// Restores each path from `from` in work tree and index: content and mode, or absence,
    /// including folders that become empty.
    ///
    /// No other path changes: if another file is in the way, nothing happens and the error names
    /// it. Submodules are refused.
    pub fn restore_paths<S: AsRef<str>>(
        &self,
        from: &CommitId,
        paths: &[S],
        deadline: Instant,
    ) -> Result<()> {
        let paths = self.locate(paths)?;
        if paths.is_empty() {
            return Ok(());
        }
        let plan = self.plan(from, paths, deadline)?;
        let gone = plan.removed.iter().cloned().collect();
        self.index().stage(&Staging { gone, ..Staging::default() }, deadline)?;
        for path in &plan.removed {
            self.remove(path)?;
        }
        if plan.restored.is_empty() {
            return Ok(());
        }
        let info = IndexInfo::of(from.as_str(), plan.restored.keys(), &plan.restored);
        self.index().feed(&info, deadline)?;
        let names = zero_ended(plan.restored.keys());
        let flags = ["--force", "--index", "--quiet", "-z", "--stdin"];
        self.change_index(deadline, || {
            GitCall::write(self, "checkout-index").args(flags).input(&names)
        })?
        .check("checkout-index")
    }

    /// Whether the commit has this file, or a file below it if it ends in a slash.
    pub fn has_file(&self, commit: &CommitId, name: &str, deadline: Instant) -> Result<bool> {
        let is_folder = name.ends_with('/');
        let entries = self.entries(commit.as_str(), deadline)?;
        let is_it = |path: &str| if is_folder { path.starts_with(name) } else { path == name };
        let mut files = entries.iter().filter(|(_, entry)| !entry.is_submodule());
        Ok(files.any(|(path, _)| is_it(&self.project_path(path))))
    }

    fn plan(&self, from: &CommitId, paths: Vec<RepoPath>, deadline: Instant) -> Result<Plan> {
        let mut entries = self.entries(from.as_str(), deadline)?;
        let mut plan = Plan::default();
        for path in paths {
            let (entry, on_disk) = (entries.remove(&path), self.look(&path)?);
            let is_submodule = entry.as_ref().is_some_and(Entry::is_submodule);
            if entry.is_some() && !is_submodule && on_disk == OnDisk::Repository {
                return Err(VcsError::PathConflict { path: self.project_path(&path) });
            }
            if is_submodule || matches!(on_disk, OnDisk::Repository | OnDisk::InsideRepository) {
                return Err(VcsError::OwnRepository { path: self.project_path(&path) });
            }
            match entry {
                Some(entry) => drop(plan.restored.insert(path, entry)),
                None => drop(plan.removed.insert(path)),
            }
        }
        for path in plan.restored.keys() {
            self.refuse_to_displace(path, &plan)?;
        }
        Ok(plan)
    }

    pub(crate) fn entries(&self, treeish: &str, deadline: Instant) -> Result<Entries> {
        let read = |store: &ObjectStore| store.files(treeish);
        if let Some(files) = self.in_process("files of a commit", deadline, read) {
            let entries = files.into_iter().map(|(path, entry)| (RepoPath::new(&path), entry));
            return Ok(entries.collect());
        }
        let args = ["-r", "-z", "--full-tree", treeish];
        let output = GitCall::read(self, "ls-tree").args(args).output(deadline)?;
        let unreadable = VcsError::Unreadable { command: "ls-tree" };
        let entries = output.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
        entries.map(entry).collect::<Option<_>>().ok_or(unreadable)
    }

    /// git would remove whatever is in the way.
    fn refuse_to_displace(&self, path: &RepoPath, plan: &Plan) -> Result<()> {
        if self.obstacle(path)?.is_some_and(|file| !plan.removed.contains(&file))
            || (self.look(path)? == OnDisk::Folder && !self.only_holds(path, &plan.removed)?)
        {
            return Err(VcsError::PathConflict { path: self.project_path(path) });
        }
        Ok(())
    }

    fn only_holds(&self, folder: &RepoPath, known: &BTreeSet<RepoPath>) -> Result<bool> {
        let place = self.place(folder);
        let disk = disk(&place);
        for entry in fs::read_dir(&place).map_err(&disk)? {
            let entry = entry.map_err(&disk)?;
            let path = RepoPath(format!("{}/{}", folder.0, from_os(&entry.file_name())));
            let fits = if entry.file_type().map_err(&disk)?.is_dir() {
                self.only_holds(&path, known)?
            } else {
                known.contains(&path)
            };
            if !fits {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn remove(&self, path: &RepoPath) -> Result<()> {
        if !matches!(self.look(path)?, OnDisk::File | OnDisk::Special) {
            return Ok(());
        }
        let place = self.place(path);
        fs::remove_file(&place).map_err(disk(&place))?;
        // Removes empty parent folders, but not the project folder.
        let is_ours = |folder: &&Path| *folder != self.top && *folder != self.project;
        for folder in place.ancestors().skip(1).take_while(is_ours) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// Parses `mode type hash<TAB>name`. `None` for a folder.
pub(crate) fn entry(line: &[u8]) -> Option<(RepoPath, Entry)> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let facts = str::from_utf8(&line[..tab]).ok()?;
    let mut facts = facts.split(' ');
    let (mode, hash) = (facts.next()?, facts.nth(1)?);
    Some((RepoPath::new(&line[tab + 1..]), Entry::new(mode.as_bytes(), hash)?))
}
