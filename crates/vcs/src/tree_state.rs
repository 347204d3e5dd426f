//! The state of a work tree: commit, branch, dirty paths, operation in progress.
//!
//! One git call provides all of it, because the runner needs it several times per iteration.

use std::time::Instant;

use crate::git::RunningGit;
use crate::git_call::GitCall;
use crate::path_text::from_bytes;
use crate::status::{DirtyKind, DirtyPath, Prefix};
use crate::{CommitId, Operation, VcsError, WorkTree};

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

/// A git that runs while the caller continues.
#[derive(Debug)]
pub struct StateInProgress {
    tree: WorkTree,
    git: RunningGit,
}

impl WorkTree {
    pub fn state(&self, deadline: Instant) -> Result<TreeState, VcsError> {
        self.start_state()?.finish(deadline)
    }

    pub fn start_state(&self) -> Result<StateInProgress, VcsError> {
        let args = [
            "--porcelain=v2",
            "--branch",
            // Counting commits ahead of and behind the upstream can take long.
            "--no-ahead-behind",
            "-z",
            "--untracked-files=all",
            "--ignored=matching",
            "--ignore-submodules=dirty",
            "--no-renames",
        ];
        let git = GitCall::read(self, "status").args(args).start()?;
        Ok(StateInProgress { tree: self.clone(), git })
    }
}

impl StateInProgress {
    pub fn finish(self, deadline: Instant) -> Result<TreeState, VcsError> {
        let Self { tree, git } = self;
        let mut answer = git.answer(deadline)?;
        // The pipes existed before the call.
        if answer.was_blocked {
            answer = tree.start_state()?.git.answer(deadline)?;
        }
        answer.check("status")?;
        let state = parse(&answer.stdout, &tree.prefix);
        let state = state.ok_or(VcsError::Unreadable { command: "status" })?;
        let has_unreadable_folders = answer.stderr.contains("could not open directory");
        Ok(TreeState { operation: tree.operation(), has_unreadable_folders, ..state })
    }
}

/// `None` for an unknown kind of entry.
fn parse(output: &[u8], prefix: &Prefix) -> Option<TreeState> {
    let mut state = TreeState::default();
    for entry in output.split(|byte| *byte == 0) {
        match entry {
            [] => {}
            [b'#', b' ', header @ ..] => read_header(&from_bytes(header), &mut state)?,
            [b'?', b' ', path @ ..] => state
                .dirty
                .push(DirtyPath { path: prefix.relative(path), kind: DirtyKind::Untracked }),
            [b'!', b' ', path @ ..] => state.ignored.push(prefix.relative(path)),
            // The number of words between the status letters and the path.
            [b'1', b' ', rest @ ..] => state.dirty.push(changed(rest, 6, prefix)?),
            [b'u', b' ', rest @ ..] => state.dirty.push(changed(rest, 8, prefix)?),
            _ => return None,
        }
    }
    Some(state)
}

fn read_header(header: &str, state: &mut TreeState) -> Option<()> {
    match header.split_once(' ') {
        Some(("branch.oid", "(initial)")) | Some(("branch.head", "(detached)")) => {}
        Some(("branch.oid", hash)) => state.head = Some(CommitId::new(hash).ok()?),
        Some(("branch.head", name)) => state.branch = Some(name.to_owned()),
        _ => {}
    }
    Some(())
}

fn changed(entry: &[u8], words_between: usize, prefix: &Prefix) -> Option<DirtyPath> {
    let mut words = entry.splitn(words_between + 2, |byte| *byte == b' ');
    let kind = match words.next()? {
        [index, tree] => DirtyKind::from_letters(*index, *tree),
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
        parse(output.replace('H', HASH).replace('|', "\0").as_bytes(), &Prefix("app/".into()))
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
             u UU N... 100644 100644 100644 100644 H H H app/both\n\"|? app/new  |! app/target/|",
        );
        let TreeState { dirty, ignored, .. } = state.unwrap();
        assert_eq!(ignored, ["target/"]);
        let shown: Vec<String> = dirty.iter().map(|d| format!("{}:{}", d.kind, d.path)).collect();
        assert_eq!(
            shown,
            ["modified:a b", "deleted:../gone", "conflicted:both\n\"", "untracked:new  "]
        );
    }

    #[test]
    fn unknown_formats_are_errors() {
        for output in ["2 R. x|", "1 .M N... 100644|", "# branch.oid nonsense|"] {
            assert_eq!(parsed(output), None, "{output}");
        }
    }
}
