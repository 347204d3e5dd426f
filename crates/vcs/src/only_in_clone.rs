//! What a clone has and its original does not: commits and uncommitted files, which are lost with its folder.
//!
//! A session could change the clone's settings, so no git reads them: refs are read in-process, and files are compared
//! by a git with the settings of the original.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use crate::git_call::GitCall;
use crate::path_text::os_string;
use crate::repo_path::RepoPath;
use crate::{CommitId, Result, VcsError, WorkTree};

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct OnlyInClone {
    /// `HEAD` and refs with full names, if no ref of the original contains their commit.
    pub refs: Vec<String>,
    /// Changed and untracked files and folders, from the top of the clone. Compared only if `refs` is empty.
    pub files: Vec<String>,
}

impl OnlyInClone {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl WorkTree {
    /// For a clone of this repository that borrows its objects. Ignored and missing files do not count.
    pub fn only_in_clone(&self, folder: &Path, deadline: Instant) -> Result<OnlyInClone> {
        let unreadable = || VcsError::NotAClone { folder: folder.to_path_buf() };
        let clone = Self::open(folder).map_err(|_| unreadable())?;
        // Otherwise its refs would be those of another repository.
        let own = folder.canonicalize().map_err(|_| unreadable())?;
        let git = own.join(".git");
        let is_folder = git.symlink_metadata().is_ok_and(|found| found.is_dir());
        if !is_folder || clone.git_dirs() != [&git; 2] {
            return Err(unreadable());
        }
        let head = clone.resolved("HEAD").map_err(|_| unreadable())?;
        let mut named: BTreeMap<String, String> =
            clone.references(&["refs"]).map_err(|_| unreadable())?;
        clone.name_stashes(&mut named);
        named.extend(head.clone().map(|head| ("HEAD".to_owned(), head)));
        let mut refs = Vec::new();
        for (name, commit) in named {
            if !self.is_in_a_ref(&commit, deadline)? {
                refs.push(name);
            }
        }
        let files = match refs.is_empty() {
            true => self.files_unlike(&own, head.as_deref(), deadline)?,
            false => Vec::new(),
        };
        Ok(OnlyInClone { refs, files })
    }

    fn is_in_a_ref(&self, commit: &str, deadline: Instant) -> Result<bool> {
        let Ok(commit) = CommitId::new(commit) else { return Ok(false) };
        if !self.has_commit(&commit, deadline)? {
            return Ok(false);
        }
        let args = ["--max-count=1", commit.as_str(), "--not", "--all"];
        Ok(GitCall::read(self, "rev-list").args(args).output(deadline)?.is_empty())
    }

    fn files_unlike(
        &self,
        folder: &Path,
        commit: Option<&str>,
        deadline: Instant,
    ) -> Result<Vec<String>> {
        let temporary = tempfile::tempdir().map_err(VcsError::NoTemporaryFile)?;
        let index = temporary.path().join("index");
        let call = |command| {
            let call = GitCall::anywhere(folder, command);
            call.in_repository(folder, &self.git_dir, &self.common_dir)
                .env("GIT_INDEX_FILE", &index)
        };
        if let Some(commit) = commit {
            call("read-tree").args([commit]).run(deadline)?;
        }
        let args = ["-z", "--modified", "--others", "--exclude-standard", "--directory"];
        let args = args.into_iter().chain(["--no-empty-directory"]);
        let mut found: Vec<RepoPath> = call("ls-files").args(args).names(deadline)?;
        found.sort_unstable();
        found.dedup();
        let is_present =
            |path: &RepoPath| folder.join(os_string(&path.bytes())).symlink_metadata().is_ok();
        Ok(found.into_iter().filter(is_present).map(|path| path.0).collect())
    }
}
