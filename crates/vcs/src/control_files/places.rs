//! Paths of the control files and the names under which they are reported.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::special_files::SpecialFiles;
use super::{Effect, FileMetadata, Image};
use crate::WorkTree;
use crate::git_call::GitCall;
use crate::path_text::{from_os, on_disk};

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

#[derive(Debug, Clone)]
pub(crate) struct Places {
    top: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
}

impl Places {
    pub(crate) fn of(tree: &WorkTree) -> Self {
        Self {
            top: tree.top.clone(),
            git_dir: tree.git_dir.clone(),
            common_dir: tree.common_dir.clone(),
        }
    }

    pub(crate) fn top(&self) -> &Path {
        &self.top
    }

    /// Excludes the control files, which are never opened unless they are regular files.
    pub(crate) fn special(&self, known: &mut SpecialFiles) -> Vec<String> {
        let mut found = known.find(&self.common_dir);
        found.retain(|name| !Self::names().any(|control| control == name));
        found
    }

    /// A `git config` without the guard, because the guard calls it.
    pub(crate) fn git_config(&self) -> GitCall {
        let call = GitCall::anywhere(&self.top, "config");
        call.in_repository(&self.top, &self.git_dir, &self.common_dir)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        let Some(inside) = name.strip_prefix(".git/") else { return on_disk(&self.top, name) };
        let folder = if OF_WORK_TREE.contains(&name) { &self.git_dir } else { &self.common_dir };
        on_disk(folder, inside)
    }

    /// Parent folders that are links, with their targets, outermost first.
    pub(crate) fn links(&self) -> BTreeMap<&'static str, PathBuf> {
        let folders = [".git", ".git/hooks", ".git/info", ".git/objects", ".git/objects/info"];
        let link = |name| Some((name, self.path(name).read_link().ok()?));
        folders.into_iter().filter_map(link).collect()
    }

    /// The current state of each file that is compared as a whole.
    pub(crate) fn images(&self) -> BTreeMap<String, Image> {
        let whole = WHOLE.iter().map(|(name, _)| (*name).to_owned());
        let names = whole.chain(self.hooks());
        names.map(|name| (name.clone(), self.image(&name))).collect()
    }

    pub(crate) fn image(&self, name: &str) -> Image {
        match Image::of(&self.path(name)) {
            // A repository that is no linked work tree has a folder here.
            Image::Other if name == POINTER && self.path(name).is_dir() => Image::Absent,
            // An empty list names no repository. Claude Code's sandbox creates one to block writes.
            Image::File { bytes, .. } if name == ALTERNATES && bytes.is_empty() => Image::Absent,
            image => image,
        }
    }

    /// Hooks that git would run, without samples.
    fn hooks(&self) -> Vec<String> {
        let folder = self.path(HOOKS);
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
            let path = self.path(name);
            fs::metadata(&path).is_ok_and(|found| !found.is_file())
        };
        OPENED.into_iter().filter(is_wrong).collect()
    }

    /// Folders that contain only control files. `git init` creates them; a linked work tree may
    /// lack some.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.common_dir.join("hooks"), self.common_dir.join("info")];
        if self.git_dir != self.common_dir {
            folders.push(self.git_dir.join("info"));
        }
        folders
    }

    /// Control files with a fixed name, existing or not.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        [CONFIG, WORK_TREE_CONFIG].into_iter().chain(WHOLE.iter().map(|(name, _)| *name))
    }

    /// Equal to an earlier result if no control file changed. `known` are the files compared as a
    /// whole; a new hook changes its folder.
    pub(crate) fn metadata(&self, known: &BTreeMap<String, Image>) -> Vec<FileMetadata> {
        let fixed = [CONFIG, WORK_TREE_CONFIG, HOOKS].into_iter();
        let whole = known.keys().map(String::as_str).filter(|name| *name != POINTER);
        fixed.chain(whole).map(|name| FileMetadata::at(&self.path(name))).collect()
    }
}

pub(crate) fn effect(name: &str) -> Effect {
    let whole = WHOLE.iter().find(|(known, _)| *known == name);
    whole.map_or(Effect::Executes, |(_, effect)| *effect)
}
