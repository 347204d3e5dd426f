//! Merges trees and commits without a work tree, describes conflicts, and moves a branch that no work tree has
//! checked out.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::git_call::GitCall;
use crate::{BlobContents, CommitId, Result, TreeId, VcsError, WorkTree};

/// Without directory rename detection, files that others added to a renamed folder stay where they
/// are.
const SETTINGS: [&str; 2] = ["merge.directoryRenames=false", "merge.renames=true"];

/// Larger files are not searched for conflicting lines.
const LARGEST: u64 = 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeResult {
    Clean(TreeId),
    Conflict(MergeConflict),
}

/// What git cannot merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeConflict {
    /// Relative to the project.
    pub paths: Vec<String>,
    /// git's sentences about them, for example `CONFLICT (content): Merge conflict in a.txt`.
    pub messages: Vec<String>,
    /// Files with conflict markers.
    pub tree: TreeId,
}

/// The result of moving a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Advance {
    Moved,
    /// It is at another commit than expected; `None` if it does not exist.
    At(Option<CommitId>),
    /// The folder of the work tree that has it checked out.
    CheckedOut(String),
}

impl WorkTree {
    /// The files of `ours` with the changes that `theirs` made since both diverged. Paths in `stay` (whole folders
    /// end in a slash) keep the state of `ours` and take no part in the merge.
    pub fn merge_commits(
        &self,
        ours: &CommitId,
        theirs: &CommitId,
        stay: &[String],
        deadline: Instant,
    ) -> Result<MergeResult> {
        self.merge_with_settings_of(self, [ours, theirs], stay, deadline)
    }

    /// The same with the settings, the attributes and the merge drivers of another clone, whose settings the caller
    /// guards.
    pub fn merge_with_settings_of(
        &self,
        clone: &Self,
        [ours, theirs]: [&CommitId; 2],
        stay: &[String],
        deadline: Instant,
    ) -> Result<MergeResult> {
        let args = [ours.as_str(), theirs.as_str()];
        let base = GitCall::read(self, "merge-base").args(args).output_if_yes(deadline)?;
        let base = match base {
            Some(printed) => crate::commits::commit_id(&printed, "merge-base")?,
            None => return Err(VcsError::Unrelated { commits: [ours.clone(), theirs.clone()] }),
        };
        let trees = [&base, ours, theirs].map(|commit| self.tree_id(commit, deadline));
        let [base, ours, theirs] = trees;
        let (ours, stay) = (ours?, self.path_set(stay)?);
        let with_ours = |tree: TreeId| {
            self.tree_with_paths_of(tree, &ours, |path| stay.holds(&path.0), deadline)
        };
        let (base, theirs) = (with_ours(base?)?, with_ours(theirs?)?);
        self.merge_trees(clone, [&base, &ours, &theirs], deadline)
    }

    pub(crate) fn merge_trees(
        &self,
        clone: &Self,
        [base, ours, theirs]: [&TreeId; 3],
        deadline: Instant,
    ) -> Result<MergeResult> {
        if base == theirs {
            return Ok(MergeResult::Clean(ours.clone()));
        }
        if base == ours {
            return Ok(MergeResult::Clean(theirs.clone()));
        }
        // Older versions of git take the merge base only from the history, so it is constructed.
        let commit = |tree: &TreeId, parents: &[&CommitId]| {
            self.unsigned_commit(tree, parents, "for a merge", deadline)
        };
        let base = commit(base, &[])?;
        let sides = [commit(ours, &[&base])?, commit(theirs, &[&base])?];
        let answer = GitCall::with_settings(clone, &SETTINGS, "merge-tree")
            .env("GIT_OBJECT_DIRECTORY", self.common_dir.join("objects"))
            .args(["--write-tree", "-z", "--name-only", "--messages"])
            .args(sides.iter().map(CommitId::as_str))
            .answer(deadline)?;
        let mut words = answer.stdout.split(|byte| *byte == 0);
        let tree = words.next().and_then(|word| str::from_utf8(word).ok());
        let tree = tree.map(|tree| TreeId(tree.trim_end().to_owned()));
        match (answer.status.code(), tree) {
            (Some(0), Some(tree)) => Ok(MergeResult::Clean(tree)),
            (Some(1), Some(tree)) => {
                let paths = words.by_ref().take_while(|path| !path.is_empty());
                let paths: BTreeSet<&[u8]> = paths.map(|path| without_mark(path, &sides)).collect();
                let paths = paths.into_iter().map(|path| self.prefix.relative(path)).collect();
                let messages = messages(words, &sides);
                Ok(MergeResult::Conflict(MergeConflict { paths, messages, tree }))
            }
            _ => Err(answer.failure("merge-tree")),
        }
    }

    /// The conflicting lines of the text files, at most `limit` bytes, with their paths. The sides are called by
    /// `names`: first the one that was merged into.
    pub fn conflicting_lines(
        &self,
        conflict: &MergeConflict,
        names: [&str; 2],
        limit: usize,
        deadline: Instant,
    ) -> Result<String> {
        let entries = self.entries(conflict.tree.as_str(), deadline)?;
        let mut text = String::new();
        for path in &conflict.paths {
            let entry = entries.get(&self.located(path)?);
            let Some(blob) = entry.and_then(|entry| entry.blob()) else { continue };
            let contents = self.blobs(std::slice::from_ref(blob), LARGEST, deadline)?;
            let Some(BlobContents::Read(bytes)) = contents.first() else { continue };
            for hunk in hunks(&String::from_utf8_lossy(bytes), names) {
                let part = format!("{path}:\n{hunk}\n");
                if text.len() + part.len() > limit {
                    return Ok(text);
                }
                text.push_str(&part);
            }
        }
        Ok(text)
    }

    /// Moves branch `name` from one commit to another, unless another process moved it or a work tree has it
    /// checked out: its files would no longer match.
    pub fn advance_branch(
        &self,
        name: &str,
        from: &CommitId,
        to: &CommitId,
        reason: &str,
        deadline: Instant,
    ) -> Result<Advance> {
        crate::refuse_invalid_branch(name)?;
        if let Some(folder) = self.work_tree_on(name, deadline)? {
            return Ok(Advance::CheckedOut(folder));
        }
        let full_name = format!("refs/heads/{name}");
        let args = ["--no-deref", "-m", reason, &full_name, to.as_str(), from.as_str()];
        let answer = GitCall::write(self, "update-ref").args(args).answer(deadline)?;
        if answer.status.success() {
            return Ok(Advance::Moved);
        }
        match self.branch_tip(name, deadline)? {
            Some(tip) if tip == *from => Err(answer.failure("update-ref")),
            tip => Ok(Advance::At(tip)),
        }
    }
}

/// git appends a side's name to a file that conflicts with a folder.
fn without_mark<'a>(path: &'a [u8], sides: &[CommitId; 2]) -> &'a [u8] {
    let mut marks = sides.iter().map(|side| format!("~{side}"));
    marks.find_map(|mark| path.strip_suffix(mark.as_bytes())).unwrap_or(path)
}

/// Each message is a count of paths, the paths, its type and its text.
fn messages<'a>(mut words: impl Iterator<Item = &'a [u8]>, sides: &[CommitId; 2]) -> Vec<String> {
    let mut messages = Vec::new();
    while let Some(count) = words.next().and_then(|word| str::from_utf8(word).ok()?.parse().ok()) {
        let after_paths: usize = count;
        let Some(kind) = words.nth(after_paths) else { break };
        let Some(text) = words.next() else { break };
        if kind.starts_with(b"CONFLICT") {
            let text = String::from_utf8_lossy(text);
            let [ours, theirs] = sides.each_ref().map(CommitId::as_str);
            messages.push(text.trim_end().replace(ours, "ours").replace(theirs, "theirs"));
        }
    }
    messages
}

/// The parts between conflict markers, with the markers.
fn hunks(text: &str, [ours, theirs]: [&str; 2]) -> Vec<String> {
    let mut hunks: Vec<String> = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        if line.starts_with("<<<<<<< ") && !is_inside {
            is_inside = true;
            hunks.push(format!("<<<<<<< {ours}\n"));
        } else if is_inside && let Some(hunk) = hunks.last_mut() {
            let ends = line.starts_with(">>>>>>> ");
            hunk.push_str(&if ends { format!(">>>>>>> {theirs}") } else { line.to_owned() });
            hunk.push('\n');
            is_inside = !ends;
        }
    }
    hunks
}
