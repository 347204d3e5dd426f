//! The state of a work tree: commit, branch, dirty paths, operation in progress.
//!
//! One git call provides all of it, because the runner needs it several times per iteration.

use std::time::Instant;

use derive_more::Display;

use crate::git::RunningGit;
use crate::git_call::GitCall;
use crate::path_text::from_bytes;
use crate::repo_path::Prefix;
use crate::{CommitId, Operation, Result, VcsError, WorkTree};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeState {
    /// `None` before the first commit.
    pub head: Option<CommitId>,
    /// `None` if HEAD is detached.
    pub branch: Option<String>,
    /// All uncommitted paths that are not ignored, in the whole repository. Submodules are only
    /// compared by commit, because git would use their unguarded settings inside.
    pub dirty: Vec<DirtyPath>,
    /// Ignored paths; a completely ignored folder is listed once, with a trailing slash.
    pub ignored: Vec<String>,
    pub operation: Option<Operation>,
    /// git could not read all of the work tree.
    pub has_unreadable_folders: bool,
}

/// An uncommitted path, relative to the project, with `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirtyPath {
    pub path: String,
    pub kind: DirtyKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
#[display(rename_all = "lowercase")]
pub enum DirtyKind {
    Untracked,
    Added,
    Deleted,
    Conflicted,
    Modified,
}

/// Lists every untracked file, because a folder with runtime files may contain others. Without
/// renames, every entry has one path.
const STATUS: [&str; 5] =
    ["--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames"];

/// A git that runs while the caller continues.
#[derive(Debug)]
pub struct StateInProgress {
    tree: WorkTree,
    git: RunningGit,
}

#[derive(Debug)]
pub struct StatusInProgress {
    git: RunningGit,
    prefix: Prefix,
}

impl WorkTree {
    pub fn state(&self, deadline: Instant) -> Result<TreeState> {
        self.start_state()?.finish(deadline)
    }

    pub fn start_state(&self) -> Result<StateInProgress> {
        // Counting commits ahead of and behind the upstream can take long.
        let more = ["--branch", "--no-ahead-behind", "--ignored=matching"];
        let git = GitCall::read(self, "status").args(STATUS).args(more).start()?;
        Ok(StateInProgress { tree: self.clone(), git })
    }

    /// Starts a query for all uncommitted, not ignored paths of the repository.
    pub fn start_status(&self) -> Result<StatusInProgress> {
        let git = GitCall::read(self, "status").args(STATUS).start()?;
        Ok(StatusInProgress { git, prefix: self.prefix.clone() })
    }
}

impl StatusInProgress {
    pub fn finish(self, deadline: Instant) -> Result<Vec<DirtyPath>> {
        Ok(parse(&self.git.output(deadline)?, &self.prefix)?.dirty)
    }
}

impl StateInProgress {
    pub fn finish(self, deadline: Instant) -> Result<TreeState> {
        let Self { tree, git } = self;
        let mut answer = git.answer(deadline)?;
        // The pipes existed before the call.
        if answer.was_blocked {
            answer = tree.start_state()?.git.answer(deadline)?;
        }
        answer.check("status")?;
        let state = parse(&answer.stdout, &tree.prefix)?;
        let has_unreadable_folders = answer.stderr.contains("could not open directory");
        Ok(TreeState { operation: tree.operation(), has_unreadable_folders, ..state })
    }
}

/// Fails for an unknown kind of entry.
fn parse(output: &[u8], prefix: &Prefix) -> Result<TreeState> {
    let mut state = TreeState::default();
    let mut entries = output.split(|byte| *byte == 0);
    let read = entries.try_for_each(|entry| state.take(entry, prefix));
    read.map(|()| state).ok_or(VcsError::Unreadable { command: "status" })
}

impl TreeState {
    fn take(&mut self, entry: &[u8], prefix: &Prefix) -> Option<()> {
        match entry {
            [] => {}
            [b'#', b' ', header @ ..] => self.take_header(&from_bytes(header))?,
            [b'!', b' ', path @ ..] => self.ignored.push(prefix.relative(path)),
            [b'?', b' ', path @ ..] => {
                let (path, kind) = (prefix.relative(path), DirtyKind::Untracked);
                self.dirty.push(DirtyPath { path, kind });
            }
            // The number of words between the status letters and the path.
            [b'1', b' ', rest @ ..] => self.dirty.push(changed(rest, 6, prefix)?),
            [b'u', b' ', rest @ ..] => self.dirty.push(changed(rest, 8, prefix)?),
            _ => return None,
        }
        Some(())
    }

    fn take_header(&mut self, header: &str) -> Option<()> {
        match header.split_once(' ') {
            Some(("branch.oid", "(initial)") | ("branch.head", "(detached)")) => {}
            Some(("branch.oid", hash)) => self.head = Some(CommitId::new(hash).ok()?),
            Some(("branch.head", name)) => self.branch = Some(name.to_owned()),
            _ => {}
        }
        Some(())
    }
}

fn changed(entry: &[u8], words_between: usize, prefix: &Prefix) -> Option<DirtyPath> {
    let mut words = entry.splitn(words_between + 2, |byte| *byte == b' ');
    let kind = match words.next()? {
        [b'U', _] | [_, b'U'] | b"AA" | b"DD" => DirtyKind::Conflicted,
        [b'D', _] | [_, b'D'] => DirtyKind::Deleted,
        [b'A', _] => DirtyKind::Added,
        [_, _] => DirtyKind::Modified,
        _ => return None,
    };
    let path = words.nth(words_between)?;
    Some(DirtyPath { path: prefix.relative(path), kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "0123456789012345678901234567890123456789";

    fn parsed(output: &str) -> Option<TreeState> {
        let output = output.replace('H', HASH).replace('|', "\0");
        parse(output.as_bytes(), &Prefix("app/".into())).ok()
    }

    #[test]
    fn headers_have_the_commit_and_the_branch() {
        let state = parsed("# branch.oid H|# branch.head ralph/x|# branch.ab +1 -2|").unwrap();
        assert_eq!(state.head.unwrap().as_str(), HASH);
        assert_eq!(state.branch.as_deref(), Some("ralph/x"));
        assert_eq!(state.dirty, []);
    }

    #[test]
    fn no_commit_and_no_branch_are_none() {
        let state = parsed("# branch.oid (initial)|# branch.head (detached)|").unwrap();
        assert_eq!((state.head, state.branch), (None, None));
    }

    #[test]
    fn entries_become_paths_with_kinds() {
        let state = parsed(
            "1 .M N... 100644 100644 100644 H H app/a b|1 D. N... 100644 000000 000000 H H gone|\
             1 A. N... 000000 100644 100644 H H app/fresh|1 MM N... 100644 100644 100644 H H app/x|\
             u UU N... 100644 100644 100644 100644 H H H app/both\n\"|? app/new  |! app/target/|",
        );
        let TreeState { dirty, ignored, .. } = state.unwrap();
        assert_eq!(ignored, ["target/"]);
        let shown: Vec<String> = dirty.iter().map(|d| format!("{}:{}", d.kind, d.path)).collect();
        assert_eq!(
            shown,
            [
                "modified:a b",
                "deleted:../gone",
                "added:fresh",
                "modified:x",
                "conflicted:both\n\"",
                "untracked:new  ",
            ]
        );
    }

    #[test]
    fn unknown_formats_are_errors() {
        for output in ["2 R. x|", "1 .M N... 100644|", "# branch.oid nonsense|"] {
            assert_eq!(parsed(output), None, "{output}");
        }
    }
}
