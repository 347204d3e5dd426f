//! Paths of the control files, the names under which they are reported, and which of them a sandbox
//! can make read-only for a session.
//!
//! Only existing paths can be made read-only, so folders and files that have no effect while empty
//! are created first. An empty `commondir` breaks git and an empty `shallow` has an effect; while
//! they are missing, only the guard protects them.

use std::collections::BTreeMap;
use std::fs;
use std::fs::File;
use std::io::ErrorKind;
use std::path::PathBuf;

use super::special_files::SpecialFiles;
use super::{AllowedChanges, Effect, FileMetadata, Image};
use crate::git_call::GitCall;
use crate::path_text::{from_os, on_disk};
use crate::vcs_error::disk;
use crate::{Result, VcsError, WorkTree};

/// Config files, compared key by key.
pub(crate) const CONFIG: &str = ".git/config";
pub(crate) const WORK_TREE_CONFIG: &str = ".git/config.worktree";

/// Files compared as a whole, with the effect of a change.
const WHOLE: [(&str, Effect); 10] = [
    (".git/commondir", Effect::DecidesContent),
    (".git/gitdir", Effect::DecidesContent),
    (".git/info/attributes", Effect::DecidesContent),
    (".git/info/exclude", Effect::DecidesContent),
    (".git/info/sparse-checkout", Effect::DecidesContent),
    (ALTERNATES, Effect::DecidesContent),
    (".git/objects/info/http-alternates", Effect::DecidesContent),
    // They change the visible history; git calls of the runner ignore both.
    (".git/info/grafts", Effect::Executes),
    (".git/shallow", Effect::Executes),
    (POINTER, Effect::DecidesContent),
];

pub(crate) const ALTERNATES: &str = ".git/objects/info/alternates";

/// A file in linked work trees and submodules that points to the repository.
pub(crate) const POINTER: &str = ".git";

/// Opened by every git call, so they must be regular files.
const OPENED: [&str; 3] = [".git/HEAD", ".git/index", ".git/packed-refs"];

const HOOKS: &str = ".git/hooks";

/// Located in the work tree's git folder; the others in the shared one.
const OF_WORK_TREE: [&str; 6] = [
    ".git/commondir",
    ".git/gitdir",
    ".git/info/sparse-checkout",
    WORK_TREE_CONFIG,
    ".git/HEAD",
    ".git/index",
];

impl WorkTree {
    /// Excludes the control files, which are never opened unless they are regular files.
    pub(crate) fn special_files(&self, known: &mut SpecialFiles) -> Vec<String> {
        let mut found = known.find(&self.common_dir);
        found.retain(|name| !control_names().any(|control| control == name));
        found
    }

    /// A `git config` without the guard, because the guard calls it.
    pub(crate) fn git_config(&self) -> GitCall {
        let call = GitCall::anywhere(&self.top, "config");
        call.in_repository(&self.top, &self.git_dir, &self.common_dir)
    }

    pub(crate) fn control_path(&self, name: &str) -> PathBuf {
        let Some(inside) = name.strip_prefix(".git/") else { return on_disk(&self.top, name) };
        let folder = if OF_WORK_TREE.contains(&name) { &self.git_dir } else { &self.common_dir };
        on_disk(folder, inside)
    }

    /// Parent folders that are links, with their targets, outermost first.
    pub(crate) fn control_links(&self) -> BTreeMap<&'static str, PathBuf> {
        let folders = [".git", ".git/hooks", ".git/info", ".git/objects", ".git/objects/info"];
        let link = |name| Some((name, self.control_path(name).read_link().ok()?));
        folders.into_iter().filter_map(link).collect()
    }

    /// The current state of each file that is compared as a whole.
    pub(crate) fn control_images(&self) -> BTreeMap<String, Image> {
        let whole = WHOLE.iter().map(|(name, _)| (*name).to_owned());
        let names = whole.chain(self.hook_names());
        names.map(|name| (name.clone(), self.control_image(&name))).collect()
    }

    pub(crate) fn control_image(&self, name: &str) -> Image {
        match Image::of(&self.control_path(name)) {
            // A repository that is no linked work tree has a folder here.
            Image::Other if name == POINTER && self.control_path(name).is_dir() => Image::Absent,
            // An empty list names no repository. Claude Code's sandbox creates one to block writes.
            Image::File { bytes, .. } if name == ALTERNATES && bytes.is_empty() => Image::Absent,
            image => image,
        }
    }

    /// Hooks that git would run, without samples.
    fn hook_names(&self) -> Vec<String> {
        let folder = self.control_path(HOOKS);
        // The target of a user's link is not part of the repository.
        if folder.is_symlink() {
            return Vec::new();
        }
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.map(|entry| from_os(&entry.file_name()).into_owned());
        let hooks = names.filter(|name| !name.ends_with(".sample"));
        hooks.map(|name| format!("{HOOKS}/{name}")).collect()
    }

    /// Entries of `OPENED` that are no regular files: git would block on a pipe.
    pub(crate) fn unopenable(&self) -> Vec<&'static str> {
        let is_wrong = |name: &&str| {
            let path = self.control_path(name);
            fs::metadata(&path).is_ok_and(|found| !found.is_file())
        };
        OPENED.into_iter().filter(is_wrong).collect()
    }

    /// Folders that contain only control files. `git init` creates them; a linked work tree may
    /// lack some.
    pub(crate) fn control_folders(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.common_dir.join("hooks"), self.common_dir.join("info")];
        if self.git_dir != self.common_dir {
            folders.push(self.git_dir.join("info"));
        }
        folders
    }

    /// Equal to an earlier result if no control file changed. `known` are the files compared as a
    /// whole; a new hook changes its folder.
    pub(crate) fn control_metadata(&self, known: &BTreeMap<String, Image>) -> Vec<FileMetadata> {
        let fixed = [CONFIG, WORK_TREE_CONFIG, HOOKS].into_iter();
        let whole = known.keys().map(String::as_str).filter(|name| *name != POINTER);
        fixed.chain(whole).map(|name| FileMetadata::at(&self.control_path(name))).collect()
    }
}

pub(crate) fn effect(name: &str) -> Effect {
    let whole = WHOLE.iter().find(|(known, _)| *known == name);
    whole.map_or(Effect::Executes, |(_, effect)| *effect)
}

/// Control files with a fixed name, existing or not.
pub(crate) fn control_names() -> impl Iterator<Item = &'static str> {
    [CONFIG, WORK_TREE_CONFIG].into_iter().chain(WHOLE.iter().map(|(name, _)| *name))
}

/// Control files without effect while empty.
const EMPTY: [&str; 2] = [WORK_TREE_CONFIG, ALTERNATES];

impl WorkTree {
    /// Existing control files and folders that contain only control files, except `allowed`. Call
    /// [`WorkTree::make_control_files`] first to create the folders.
    pub fn unwritable_control_files(&self, allowed: &AllowedChanges) -> Vec<PathBuf> {
        let is_allowed = |path: &PathBuf| {
            control_names()
                .any(|name| allowed.allows(name) && self.control_path(name).starts_with(path))
        };
        let mut paths = self.control_folders();
        paths.retain(|folder| !is_allowed(folder));
        let files: Vec<PathBuf> = control_names().map(|name| self.control_path(name)).collect();
        let is_covered = |file: &PathBuf| paths.iter().any(|folder| file.starts_with(folder));
        let alone: Vec<PathBuf> = files
            .into_iter()
            .filter(|file| file.is_file() && !is_covered(file) && !is_allowed(file))
            .collect();
        paths.extend(alone);
        paths
    }

    /// Creates missing folders, as `git init` does, and empty files.
    pub fn make_control_files(&self) -> Result<()> {
        for path in self.control_folders() {
            std::fs::create_dir_all(&path).map_err(disk(&path))?;
        }
        for path in EMPTY.map(|name| self.control_path(name)) {
            match File::create_new(&path) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(VcsError::Disk { path, error });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Paths relative to `root`.
    fn unwritable(project: &Path, root: &Path, allowed: &[&str]) -> Vec<String> {
        let allowed = AllowedChanges::new(allowed.iter().map(|name| (*name).to_owned()));
        let tree = WorkTree::open(project).unwrap();
        let root = root.canonicalize().unwrap();
        let paths = tree.unwritable_control_files(&allowed);
        let mut names: Vec<String> = paths
            .iter()
            .map(|path| path.strip_prefix(&root).unwrap().display().to_string())
            .collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn missing_files_are_not_listed() {
        let dir = tempfile::tempdir().unwrap();
        test_repo::init(dir.path());
        let usual = [".git/config", ".git/hooks", ".git/info"];
        assert_eq!(unwritable(dir.path(), dir.path(), &[]), usual);
        fs::write(dir.path().join(".git/shallow"), "").unwrap();
        fs::write(dir.path().join(".git/objects/info/alternates"), "").unwrap();
        let more = [&usual[..], &[".git/objects/info/alternates", ".git/shallow"]].concat();
        assert_eq!(unwritable(dir.path(), dir.path(), &[]), more);
    }

    #[test]
    fn a_linked_work_tree_has_files_in_both_places() {
        let dir = tempfile::tempdir().unwrap();
        let main = dir.path().join("main");
        fs::create_dir(&main).unwrap();
        test_repo::init(&main);
        test_repo::commit_all(&main);
        test_repo::git(&main, &["worktree", "add", "-q", "../linked"]);
        let expected = [
            "linked/.git",
            "main/.git/config",
            "main/.git/hooks",
            "main/.git/info",
            "main/.git/worktrees/linked/commondir",
            "main/.git/worktrees/linked/gitdir",
            "main/.git/worktrees/linked/info",
        ];
        assert_eq!(unwritable(&dir.path().join("linked"), dir.path(), &[]), expected);
    }

    #[test]
    fn only_allowed_files_stay_writable() {
        let dir = tempfile::tempdir().unwrap();
        test_repo::init(dir.path());
        fs::create_dir_all(dir.path().join(".git/info")).unwrap();
        fs::write(dir.path().join(".git/info/exclude"), "").unwrap();
        let listed = unwritable(dir.path(), dir.path(), &[".git/info/sparse-checkout"]);
        assert_eq!(listed, [".git/config", ".git/hooks", ".git/info/exclude"]);
    }

    #[test]
    fn missing_files_are_created_without_effect() {
        let dir = tempfile::tempdir().unwrap();
        test_repo::init(dir.path());
        for name in ["hooks", "info"] {
            let _ = fs::remove_dir_all(dir.path().join(".git").join(name));
        }
        let tree = WorkTree::open(dir.path()).unwrap();
        let record = tree.control_record().unwrap();
        for _ in 0..2 {
            tree.make_control_files().unwrap();
        }
        let path = |name: &str| dir.path().join(".git").join(name);
        assert!(["hooks", "info"].iter().all(|name| path(name).is_dir()));
        let files = ["config.worktree", "objects/info/alternates"].map(path);
        assert!(files.iter().all(|file| fs::read(file).is_ok_and(|text| text.is_empty())));
        assert_eq!(tree.control_changes_since(&record).unwrap(), [], "empty files change nothing");
    }
}
