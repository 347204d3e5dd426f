//! Clones of a repository that borrow its objects, and the transfer of commits from a clone.
//!
//! A clone has settings, hooks, refs and locks of its own. It has no remote, so an agent in it finds no way to the
//! branches of the original.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use crate::git_call::GitCall;
use crate::settings::{Setting, as_written};
use crate::vcs_error::disk;
use crate::{CommitId, Result, VcsError, WorkTree};

/// Settings of a repository, apart from those of the user, that decide how files are written and who commits. A name
/// that ends in a dot is a whole section.
const COPIED: &str = "
    user. core.autocrlf core.eol core.filemode core.symlinks core.ignorecase core.longpaths core.precomposeunicode
    core.sparsecheckout core.sparsecheckoutcone core.attributesfile core.excludesfile filter. lfs. merge.
";

/// Files in the git folder with the same purpose. `shallow` names the commits whose parents are missing.
const COPIED_FILES: [&str; 4] =
    ["info/attributes", "info/exclude", "info/sparse-checkout", "shallow"];

impl WorkTree {
    /// Creates a clone in `folder`, which is empty or does not exist. It has no files until `check_out`.
    pub fn clone_to(&self, folder: &Path, deadline: Instant) -> Result<Self> {
        let settings = self.own_settings(deadline)?;
        let format = settings.iter().find(|(name, _)| name == "extensions.objectformat");
        let format = format.map_or("sha1", |(_, value)| value);
        fs::create_dir_all(folder).map_err(disk(folder))?;
        let args = ["--quiet", "--template=", &format!("--object-format={format}")];
        GitCall::anywhere(folder, "init").writing().args(args).run(deadline)?;
        let clone = Self::open(folder).map_err(|_| VcsError::Unreadable { command: "init" })?;
        let info = clone.common_dir.join("info");
        fs::create_dir_all(&info).map_err(disk(&info))?;
        for name in COPIED_FILES {
            let (from, to) = (self.common_dir.join(name), clone.common_dir.join(name));
            if from.is_file() {
                fs::copy(&from, &to).map_err(disk(&from))?;
            }
        }
        self.copy_settings(&settings, &clone.common_dir.join("config"))?;
        self.lend_objects(&clone)?;
        Ok(clone)
    }

    pub(crate) fn lend_objects(&self, to: &Self) -> Result<()> {
        let alternates = to.common_dir.join("objects/info/alternates");
        let objects = self.common_dir.join("objects");
        let line = [objects.as_os_str().as_encoded_bytes(), b"\n"].concat();
        fs::write(&alternates, line).map_err(disk(&alternates))
    }

    /// Those of the repository, not of the user.
    fn own_settings(&self, deadline: Instant) -> Result<Vec<(String, String)>> {
        let own = |setting: &Setting| matches!(&*setting.scope, "local" | "worktree");
        let settings = self.listed_settings(deadline)?.into_iter().filter(own);
        Ok(settings.map(|setting| (setting.name, setting.value)).collect())
    }

    /// In this process: git writes one setting per call.
    fn copy_settings(&self, settings: &[(String, String)], to: &Path) -> Result<()> {
        let copied = settings.iter().filter(|(name, _)| is_copied(name));
        let mut text: String = copied.map(|(name, value)| as_written(name, value)).collect();
        let storage = self.common_dir.join("lfs");
        // Otherwise every clone would download the same files.
        if storage.is_dir() {
            text += &as_written("lfs.storage", &storage.to_string_lossy());
        }
        let mut file = fs::OpenOptions::new().append(true).open(to).map_err(disk(to))?;
        file.write_all(text.as_bytes()).map_err(disk(to))
    }

    /// Starts branch `name` at `commit`, whatever it was before. Changed files are reset; untracked ones stay.
    pub fn check_out(&self, name: &str, commit: &CommitId, deadline: Instant) -> Result<()> {
        crate::refuse_invalid_branch(name)?;
        let args = ["--quiet", "--force", "--no-track", "-B", name, commit.as_str()];
        GitCall::write(self, "checkout").args(args).run(deadline)
    }

    /// As `check_out`, and removes untracked files; ignored ones stay.
    pub fn start_branch(&self, name: &str, commit: &CommitId, deadline: Instant) -> Result<()> {
        self.check_out(name, commit, deadline)?;
        GitCall::write(self, "clean").args(["-ffdq"]).run(deadline)
    }

    /// Copies branch `name` of the clone in `folder` to the ref `to` (full name), as `fetch_ref` does.
    pub fn fetch_branch(
        &self,
        folder: &Path,
        name: &str,
        commit: &CommitId,
        to: &str,
        deadline: Instant,
    ) -> Result<()> {
        crate::refuse_invalid_branch(name)?;
        self.fetch_ref(folder, &format!("refs/heads/{name}"), commit, to, deadline)
    }

    /// Copies a ref of the clone in `folder` to the ref `to`; both are full names. git recomputes the hash of every
    /// object. An error if the ref is not at `commit`.
    pub fn fetch_ref(
        &self,
        folder: &Path,
        from: &str,
        commit: &CommitId,
        to: &str,
        deadline: Instant,
    ) -> Result<()> {
        self.fetch(folder.as_os_str(), "file", (from, to), commit, deadline)
    }

    /// `protocols` are those that git may use.
    pub(crate) fn fetch(
        &self,
        repository: &OsStr,
        protocols: &str,
        (from, to): (&str, &str),
        commit: &CommitId,
        deadline: Instant,
    ) -> Result<()> {
        self.fetch_spec(repository, protocols, &format!("+{from}:{to}"), deadline)?;
        match self.rev_parse(to, deadline)? {
            Some(found) if found == *commit => Ok(()),
            _ => {
                self.remove_ref(to, deadline)?;
                Err(VcsError::OtherCommit { name: from.to_owned(), commit: commit.clone() })
            }
        }
    }

    pub(crate) fn fetch_spec(
        &self,
        repository: &OsStr,
        protocols: &str,
        spec: &str,
        deadline: Instant,
    ) -> Result<()> {
        let flags = [
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--refmap=",
        ];
        GitCall::with_settings(self, &["fetch.fsckObjects=true"], "fetch")
            .writing()
            .env("GIT_ALLOW_PROTOCOL", protocols)
            .args(flags)
            .args([repository, spec.as_ref()])
            .run(deadline)
    }
}

fn is_copied(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    COPIED.split_whitespace().any(|copied| match copied.strip_suffix('.') {
        Some(section) => name.split('.').next() == Some(section),
        None => name == copied,
    })
}
