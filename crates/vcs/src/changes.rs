//! Lists the paths that differ between two commits, and the text of their diff.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Instant;

use bounded_read::StreamError;

use crate::git_call::GitCall;
use crate::object_store::ObjectStore;
use crate::path_text::os_string;
use crate::repo_path::RepoPath;
use crate::tree_object::Entry;
use crate::tree_walk::Difference;
use crate::{CommitId, Result, VcsError, WorkTree};

/// A path that differs, relative to the project, with `/`. Paths outside the project start with
/// `../`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPath {
    pub path: String,
    /// Of a rename detected by git, with equal or similar contents.
    pub old_path: Option<String>,
    /// The entry before and after; contents, mode or kind differ.
    pub sides: [Option<Entry>; 2],
}

#[derive(Debug, PartialEq, Eq)]
struct RawChange {
    path: Vec<u8>,
    /// Only for renames.
    old_path: Option<Vec<u8>>,
    difference: Difference,
}

/// Starts with the output of `git diff --numstat -z`; paths from the repository root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffText {
    /// Followed by the patch.
    Whole(Vec<u8>),
    /// The patch exceeds the limit.
    CountsOnly(Vec<u8>),
}

impl WorkTree {
    /// Every path of the repository that differs. Independent of the repository's settings.
    pub fn changes_between(
        &self,
        from: &CommitId,
        to: &CommitId,
        deadline: Instant,
    ) -> Result<Vec<ChangedPath>> {
        let read = |store: &ObjectStore| without_renames(from, to, store);
        let ask_git = || self.raw_changes("--find-renames", from, to, deadline);
        let raw = self.in_process("renames", deadline, read).map_or_else(ask_git, Ok)?;
        let changed = raw.into_iter().map(|raw| ChangedPath {
            path: self.prefix.relative(&raw.path),
            old_path: raw.old_path.map(|path| self.prefix.relative(&path)),
            sides: raw.difference,
        });
        Ok(changed.collect())
    }

    /// Whether a file that matches one of git's glob patterns differs. They are relative to the project; `!` excludes files.
    pub fn has_changes_in(
        &self,
        patterns: &[String],
        [from, to]: [&CommitId; 2],
        deadline: Instant,
    ) -> Result<bool> {
        let escaped = |letter| match letter {
            '*' | '?' | '[' | '\\' => vec!['\\', letter],
            _ => vec![letter],
        };
        let project: String = self.prefix.0.chars().flat_map(escaped).collect();
        let specs = patterns.iter().map(|pattern| match pattern.strip_prefix('!') {
            Some(excluded) => format!(":(exclude,glob){project}{excluded}"),
            None => format!(":(glob){project}{pattern}"),
        });
        let args = ["-r", "--quiet", "--no-renames", "--ignore-submodules=none"];
        let call = GitCall::read(self, "diff-tree").args(args);
        let same =
            call.args([from.as_str(), to.as_str(), "--"]).args(specs).output_if_yes(deadline)?;
        Ok(same.is_none())
    }

    /// Like `changes_between`, without rename detection.
    pub(crate) fn differences(
        &self,
        from: &CommitId,
        to: &CommitId,
        deadline: Instant,
    ) -> Result<BTreeMap<RepoPath, Difference>> {
        let read = |store: &ObjectStore| store.differences(from.as_str(), to.as_str());
        let raw = match self.in_process("differences", deadline, read) {
            Some(found) => found.into_iter().map(RawChange::of).collect(),
            None => self.raw_changes("--no-renames", from, to, deadline)?,
        };
        Ok(raw.into_iter().map(|raw| (RepoPath::new(&raw.path), raw.difference)).collect())
    }

    fn raw_changes(
        &self,
        renames: &str,
        from: &CommitId,
        to: &CommitId,
        deadline: Instant,
    ) -> Result<Vec<RawChange>> {
        let args = ["-r", "-z", "--raw", renames, "--ignore-submodules=none", "--no-abbrev"];
        let call = GitCall::read(self, "diff-tree").args(args);
        let output = call.args([from.as_str(), to.as_str()]).output(deadline)?;
        parse(&output).ok_or(VcsError::Unreadable { command: "diff-tree" })
    }

    /// Omits the paths `without`, relative to the project. Returns only counts if the patch exceeds
    /// `limit` bytes.
    pub fn diff_between<S: AsRef<str>>(
        &self,
        (from, to): (&CommitId, &CommitId),
        without: &[S],
        limit: usize,
        deadline: Instant,
    ) -> Result<DiffText> {
        let left_out: Vec<OsString> = self
            .locate(without)?
            .iter()
            .map(|path| os_string(&[b":(exclude,literal)", &*path.bytes()].concat()))
            .collect();
        let call = |patch: &[&str]| {
            GitCall::read(self, "diff-tree")
                .args(AS_IT_IS.split_whitespace())
                .args(patch)
                .args([from.as_str(), to.as_str(), "--", "."])
                .args(&left_out)
        };
        match call(&["--patch", "--unified=3"]).at_most(limit).output(deadline) {
            Err(VcsError::NoAnswer { error: StreamError::TooLarge { .. }, .. }) => {
                call(&[]).output(deadline).map(DiffText::CountsOnly)
            }
            printed => printed.map(DiffText::Whole),
        }
    }
}

impl RawChange {
    fn of((path, difference): (Vec<u8>, Difference)) -> Self {
        Self { path, old_path: None, difference }
    }
}

/// `None` if files were both removed and added: git decides which of them were renamed.
fn without_renames(from: &CommitId, to: &CommitId, store: &ObjectStore) -> Option<Vec<RawChange>> {
    let differences = store.differences(from.as_str(), to.as_str())?;
    let is_renamable = [0, 1].map(|side| differences.values().any(|pair| pair[side].is_none()));
    let has_renames = is_renamable == [true, true];
    (!has_renames).then(|| differences.into_iter().map(RawChange::of).collect())
}

/// Parses `:mode mode hash hash letter<NUL>path<NUL>`, with a second path for renames.
fn parse(output: &[u8]) -> Option<Vec<RawChange>> {
    let mut words = output.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    let mut changes = Vec::new();
    while let Some(facts) = words.next() {
        let facts = str::from_utf8(facts).ok()?.strip_prefix(':')?;
        let facts: Vec<&str> = facts.split(' ').collect();
        let [old_mode, new_mode, old_hash, new_hash, letter] = facts[..] else { return None };
        let first = words.next()?.to_vec();
        let (path, old_path) = if letter.starts_with('R') {
            (words.next()?.to_vec(), Some(first))
        } else {
            (first, None)
        };
        let difference = [side(old_mode, old_hash)?, side(new_mode, new_hash)?];
        changes.push(RawChange { path, old_path, difference });
    }
    Some(changes)
}

/// `None` if malformed.
fn side(mode: &str, hash: &str) -> Option<Option<Entry>> {
    if mode == "000000" { Some(None) } else { Entry::new(mode.as_bytes(), hash).map(Some) }
}

/// Ignores settings and attributes, so that only git itself runs.
const AS_IT_IS: &str = "
    -r -z --numstat --find-renames --ignore-submodules=none --submodule=short --no-ext-diff
    --no-textconv --no-color --src-prefix=a/ --dst-prefix=b/
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_match_those_of_git() {
        let dir = tempfile::tempdir().unwrap();
        test_repo::init(dir.path());
        let text = |number: usize| format!("{}{number}\n", "one line of many\n".repeat(20));
        let contents =
            ["short\n".to_owned(), "other\n".to_owned(), text(1), text(2), String::new()];
        let (mut commits, mut random) = (Vec::new(), 7_u64);
        for _ in 0..80 {
            for name in ["a", "b", "c/a", "c/d"] {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let file = dir.path().join(name);
                let _ = std::fs::remove_file(&file);
                if let Some(content) = contents.get((random >> 33) as usize % 8) {
                    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                    std::fs::write(file, content).unwrap();
                }
            }
            commits.push(CommitId::new(&test_repo::commit_all(dir.path())).unwrap());
        }
        let tree = WorkTree::open(dir.path()).unwrap();
        let (deadline, mut in_process) = (Instant::now() + std::time::Duration::from_secs(60), 0);
        for pair in commits.windows(2) {
            let from_git =
                tree.raw_changes("--find-renames", &pair[0], &pair[1], deadline).unwrap();
            if let Some(found) = tree
                .in_process("a test", deadline, |store| without_renames(&pair[0], &pair[1], store))
            {
                assert_eq!(found, from_git);
                in_process += 1;
            }
        }
        assert!(in_process > 5, "{in_process}");
    }

    #[test]
    fn unknown_formats_are_errors() {
        for output in
            ["x\0", ":100644 000000 a b\0p\0", ":1 000000 a b D\0p\0", ":100644 000000 a b D\0"]
        {
            assert_eq!(parse(output.as_bytes()), None, "{output}");
        }
        assert_eq!(parse(b""), Some(vec![]));
    }
}
