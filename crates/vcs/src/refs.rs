//! Lists and creates refs. Of the stashes, a ref names only the newest; the others are in its reflog.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::git_call::GitCall;
use crate::path_text::from_bytes;
use crate::refs_on_disk::Unclear;
use crate::{CommitId, Result, VcsError, WorkTree};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewBranch {
    Created,
    /// It already exists at that commit.
    AlreadyThere,
    /// It is at another commit, or the name conflicts with another branch or a stray file in the
    /// git folder.
    Taken,
}

/// The refs below one root, with their commits.
#[derive(Debug)]
pub(crate) struct Refs {
    commits: BTreeMap<String, String>,
    ignores_case: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RefState {
    Free,
    At(String),
    /// `a` and `a/b` exclude each other. On case-insensitive file systems, so do names that differ
    /// in case.
    Conflict,
}

const STASH: &str = "refs/stash";

/// Enough for thousands of stashes.
const LARGEST_LOG: u64 = 16 * 1024 * 1024;

impl WorkTree {
    /// Creates branch `name` at `commit` without switching to it.
    pub fn create_branch(
        &self,
        name: &str,
        commit: &CommitId,
        deadline: Instant,
    ) -> Result<NewBranch> {
        crate::refuse_invalid_branch(name)?;
        let commit = self.resolve(commit, deadline)?;
        let name = format!("refs/heads/{name}");
        let taken = |refs: Refs| match refs.state(&name) {
            RefState::Free => None,
            RefState::At(found) if found == commit.as_str() => Some(NewBranch::AlreadyThere),
            RefState::At(_) | RefState::Conflict => Some(NewBranch::Taken),
        };
        if let Some(found) = taken(self.refs("refs/heads/", deadline)?) {
            return Ok(found);
        }
        match self.create_ref(&name, &commit, deadline) {
            Ok(()) => Ok(NewBranch::Created),
            // Another process may have created it meanwhile.
            Err(error) => match taken(self.refs("refs/heads/", deadline)?) {
                Some(found) => Ok(found),
                None if conflicts(&error) => Ok(NewBranch::Taken),
                None => Err(error),
            },
        }
    }

    /// All branches, tags, replacements, notes and stashes with their targets. Remote-tracking refs
    /// are excluded, because every fetch and push moves them.
    pub fn branches_and_tags(&self, deadline: Instant) -> Result<BTreeMap<String, String>> {
        let roots = ["refs/heads", "refs/tags", "refs/replace", "refs/notes", "refs/stash"];
        let call = GitCall::read(self, "for-each-ref").args(["--format=%(refname) %(objectname)"]);
        let mut refs = match self.references(&roots) {
            Ok(refs) => refs,
            Err(Unclear) => parse(&from_bytes(&call.args(roots).output(deadline)?)),
        };
        self.name_stashes(&mut refs);
        Ok(refs)
    }

    pub fn remove_ref(&self, name: &str, deadline: Instant) -> Result<()> {
        GitCall::write(self, "update-ref").args(["-d", name]).run(deadline)
    }

    /// Fails if it exists.
    pub(crate) fn create_ref(
        &self,
        name: &str,
        commit: &CommitId,
        deadline: Instant,
    ) -> Result<()> {
        // For git, an empty old value means "must not exist".
        let args = [name, commit.as_str(), ""];
        GitCall::write(self, "update-ref").args(args).run(deadline)
    }

    pub(crate) fn refs(&self, root: &str, deadline: Instant) -> Result<Refs> {
        let list = |format: &str| {
            GitCall::read(self, "for-each-ref").args([format, root]).output(deadline)
        };
        // Peeling a tag reads its object, which fails if the object is missing.
        let output = list("--format=%(refname) %(objectname) %(*objectname)")
            .or_else(|_| list("--format=%(refname) %(objectname)"))?;
        let ignores_case = self.is_on("core.ignoreCase", deadline)?;
        Ok(Refs { commits: parse(&from_bytes(&output)), ignores_case })
    }

    /// Replaces the ref of the newest stash by all stashes, so that a new stash does not look like
    /// a change.
    pub(crate) fn name_stashes(&self, refs: &mut BTreeMap<String, String>) {
        let Some(newest) = refs.remove(STASH) else { return };
        let log = self.common_dir.join("logs").join(STASH);
        let log = bounded_read::read_file(&log, LARGEST_LOG).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        // Parses `before after name …`.
        let logged = log.lines().filter_map(|line| line.split(' ').nth(1)).map(str::to_owned);
        refs.extend(logged.chain([newest]).map(|commit| (format!("{STASH} {commit}"), commit)));
    }
}

/// Parses `name hash hash`; the second hash is the target of an annotated tag.
fn parse(output: &str) -> BTreeMap<String, String> {
    let lines = output.lines().filter_map(|line| {
        let mut words = line.split(' ').filter(|word| !word.is_empty());
        let (name, hash) = (words.next()?, words.next()?);
        Some((name.to_owned(), words.next().unwrap_or(hash).to_owned()))
    });
    lines.collect()
}

impl Refs {
    pub(crate) fn at(&self, name: &str) -> Option<&str> {
        self.commits.get(name).map(String::as_str)
    }

    pub(crate) fn state(&self, name: &str) -> RefState {
        if let Some(commit) = self.at(name) {
            return RefState::At(commit.to_owned());
        }
        let fold =
            |name: &str| if self.ignores_case { name.to_lowercase() } else { name.to_owned() };
        let name = fold(name);
        let collides = |other: &String| {
            let other = fold(other);
            other == name || excludes(&other, &name)
        };
        if self.commits.keys().any(collides) { RefState::Conflict } else { RefState::Free }
    }
}

/// A file that git does not list and that is no temporary lock.
fn conflicts(error: &VcsError) -> bool {
    let refused = |message: &str| message.contains("cannot lock ref");
    matches!(error, VcsError::Failed { message, .. } if refused(message)) && !error.is_lock_error()
}

/// `a` and `a/b` exclude each other.
pub(crate) fn excludes(one: &str, other: &str) -> bool {
    let is_inside = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
    };
    is_inside(one, other) || is_inside(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refs() -> Refs {
        let commits =
            parse("refs/heads/wip/Story aaa \nrefs/heads/one bbb \nrefs/tags/v1 ccc ddd\n");
        Refs { commits, ignores_case: false }
    }

    #[test]
    fn names_are_taken_conflicting_or_free() {
        for (name, expected) in [
            ("refs/heads/one", RefState::At("bbb".into())),
            ("refs/tags/v1", RefState::At("ddd".into())),
            ("refs/heads/wip", RefState::Conflict),
            ("refs/heads/one/more", RefState::Conflict),
            ("refs/heads/one-more", RefState::Free),
            ("refs/heads/wip/other", RefState::Free),
            ("refs/heads/wip/story", RefState::Free),
        ] {
            assert_eq!(refs().state(name), expected, "{name}");
        }
    }

    #[test]
    fn names_collide_on_case_insensitive_systems() {
        let refs = Refs { ignores_case: true, ..refs() };
        for name in ["refs/heads/wip/story", "refs/heads/WIP/STORY/x", "refs/heads/ONE"] {
            assert_eq!(refs.state(name), RefState::Conflict, "{name}");
        }
        assert_eq!(refs.state("refs/heads/two"), RefState::Free);
    }
}
