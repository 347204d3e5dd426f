//! Transfer of single commits between a repository and one that other machines reach.

use std::path::Path;
use std::time::Instant;

use crate::git_call::GitCall;
use crate::{CommitId, Identity, Result, TreeId, VcsError, WorkTree};

/// The protocols of a remote repository that the user names.
pub(crate) const PROTOCOLS: &str = "file:git:http:https:ssh";

impl WorkTree {
    /// A new repository in `folder`, with `commit` of the remote ref `name` and its history. It has no files.
    pub fn fetch_into(
        folder: &Path,
        remote: &str,
        name: &str,
        commit: &CommitId,
        deadline: Instant,
    ) -> Result<Self> {
        let tree = Self::new_repository(folder, commit, deadline)?;
        tree.fetch_remote(remote, name, commit, name, deadline)?;
        Ok(tree)
    }

    /// An empty repository with the same kind of hashes as `commit`.
    pub fn new_repository(folder: &Path, commit: &CommitId, deadline: Instant) -> Result<Self> {
        let format = if commit.as_str().len() == 64 { "sha256" } else { "sha1" };
        let args = ["--quiet", "--template=", &format!("--object-format={format}")];
        GitCall::anywhere(folder, "init").writing().args(args).run(deadline)?;
        Self::open(folder).map_err(|_| VcsError::Unreadable { command: "init" })
    }

    /// Copies the refs that match `pattern`, which may contain one `*`, from an untrusted repository on this machine.
    /// Returns names and commits of those that are here then.
    pub fn fetch_matching(
        &self,
        folder: &Path,
        pattern: &str,
        deadline: Instant,
    ) -> Result<Vec<(String, CommitId)>> {
        self.fetch_spec(folder.as_os_str(), "file", &format!("+{pattern}:{pattern}"), deadline)?;
        let format = "--format=%(objectname) %(refname)";
        let listed = GitCall::read(self, "for-each-ref").args([format, pattern]).text(deadline)?;
        let read = |line: &str| {
            let (commit, name) = line.split_once(' ')?;
            Some((name.to_owned(), CommitId::new(commit).ok()?))
        };
        Ok(listed.lines().filter_map(read).collect())
    }

    /// Copies a ref of a remote repository, as `fetch_ref` does.
    pub fn fetch_remote(
        &self,
        remote: &str,
        from: &str,
        commit: &CommitId,
        to: &str,
        deadline: Instant,
    ) -> Result<()> {
        self.fetch(remote.as_ref(), PROTOCOLS, (from, to), commit, deadline)
    }

    /// Makes ref `name` of the remote repository point to `commit`.
    pub fn push_commit(
        &self,
        remote: &str,
        commit: &CommitId,
        name: &str,
        deadline: Instant,
    ) -> Result<()> {
        self.push(remote, &[format!("+{commit}:{name}")], deadline)
    }

    /// Removes refs of the remote repository.
    pub fn remove_pushed(&self, remote: &str, names: &[String], deadline: Instant) -> Result<()> {
        let removed: Vec<String> = names.iter().map(|name| format!(":{name}")).collect();
        self.push(remote, &removed, deadline)
    }

    fn push(&self, remote: &str, what: &[String], deadline: Instant) -> Result<()> {
        let flags = ["--quiet", "--no-verify", "--no-signed", "--recurse-submodules=no"];
        GitCall::write(self, "push")
            .env("GIT_ALLOW_PROTOCOL", PROTOCOLS)
            .args(flags)
            .args([remote])
            .args(what)
            .run(deadline)
    }

    /// Creates a commit on `parent` whose tree has only this file.
    pub fn commit_file(
        &self,
        name: &str,
        contents: &[u8],
        parent: &CommitId,
        deadline: Instant,
    ) -> Result<CommitId> {
        let flags = ["-w", "--stdin", "--no-filters"];
        let blob =
            GitCall::write(self, "hash-object").args(flags).input(contents)?.line(deadline)?;
        let entry = format!("100644 blob {blob}\t{name}\n");
        let tree = GitCall::write(self, "mktree").input(entry.as_bytes())?.line(deadline)?;
        self.unsigned_commit(&TreeId(tree), &[parent], "work for another machine", deadline)
    }

    /// Makes a ref point to `commit`, whatever it was before.
    pub fn set_ref(&self, name: &str, commit: &CommitId, deadline: Instant) -> Result<()> {
        GitCall::write(self, "update-ref").args([name, commit.as_str()]).run(deadline)
    }

    /// Removes all refs below `root`, which ends in a slash. Returns their names.
    pub fn remove_refs(&self, root: &str, deadline: Instant) -> Result<Vec<String>> {
        let listed = GitCall::read(self, "for-each-ref").args(["--format=%(refname)", root]);
        let listed = listed.text(deadline)?;
        let names: Vec<String> = listed.lines().map(str::to_owned).collect();
        if !names.is_empty() {
            let input: String = names.iter().map(|name| format!("delete {name}\n")).collect();
            let call = GitCall::write(self, "update-ref").args(["--stdin"]);
            call.input(input.as_bytes())?.run(deadline)?;
        }
        Ok(names)
    }

    /// The author of commits in this repository.
    pub fn set_identity(&self, author: &Identity, deadline: Instant) -> Result<()> {
        for (name, value) in [("user.name", &author.name), ("user.email", &author.email)] {
            GitCall::write(self, "config").args([name, value]).run(deadline)?;
        }
        Ok(())
    }
}
