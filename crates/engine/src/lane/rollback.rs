//! The `rollback` setting: a failed coding iteration is rolled back completely, every other one is squashed into one
//! commit.
//!
//! The checkpoint is on disk before the agent starts, and the decision to roll back is in `state.json` before
//! anything changes. So a resumed run can finish what a killed runner began.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bounded_read::read_file;
use events::LoopEvent;
use project::Layout;
use serde::{Deserialize, Serialize};
use tasks::{Mode, Sha256Digest, StoryId};
use vcs::{Checkpoint, CommitId, NewIgnored};

use crate::control::Step;
use crate::lane::assignment::Assignment;
use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
use crate::options::RollbackOptions;
use crate::run_files::deadline;
use crate::{RunError, own_file};

/// In an iteration's folder: the state from before it.
const FILE: &str = "checkpoint.json";

/// It lists every ignored file.
const LARGEST: u64 = 1024 * 1024 * 1024;

/// Most commits of an agent whose subjects the squashed message lists.
const MOST_COMMITS: usize = 20;

/// Most files in the event that could not be restored.
const MOST_LISTED: usize = 20;

/// An iteration that is being rolled back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RollingBack {
    pub(crate) assignment: Assignment,
    /// The iteration's folder, relative to the project.
    pub(crate) folder: String,
    pub(crate) checkpoint: Sha256Digest,
}

/// The state to which an iteration can be rolled back.
#[derive(Debug, Clone)]
pub(crate) struct RollbackPoint {
    checkpoint: Arc<Checkpoint>,
    digest: Sha256Digest,
    file: PathBuf,
}

impl RollbackPoint {
    /// Reads what a killed runner wrote; `None` if its digest does not match.
    pub(crate) fn recorded_in(folder: &Path, digest: Sha256Digest) -> Option<Self> {
        let file = folder.join(FILE);
        let bytes = read_file(&file, LARGEST).ok()?;
        let is_it = Sha256Digest::of(&bytes) == digest;
        let checkpoint = serde_json::from_slice(&bytes).ok().filter(|_| is_it)?;
        Some(Self { checkpoint: Arc::new(checkpoint), digest, file })
    }

    pub(crate) fn digest(&self) -> Sha256Digest {
        self.digest
    }

    /// It lists all ignored files and can be large.
    pub(crate) fn remove_file(&self) {
        let _ = own_file::remove(&self.file);
    }
}

/// The runner's own files, and the user's files beside them.
fn is_left_alone(layout: &Layout, path: &str) -> bool {
    path.starts_with(".ralph/") || layout.is_runtime(path)
}

impl Lane<'_> {
    /// Called before a coding iteration, if rollback is on.
    pub(crate) fn take_checkpoint(
        &mut self,
        assignment: &Assignment,
        folder: &Path,
    ) -> Result<Option<RollbackPoint>, RunError> {
        if self.options.rollback.is_none() || assignment.mode == Mode::Review {
            return Ok(None);
        }
        let layout = self.layout;
        let excluded = |path: &str| is_left_alone(layout, path);
        let checkpoint = self.workspace.tree.checkpoint(excluded, deadline())?;
        if let Some(dirty) = &checkpoint.dirty {
            // Never overwritten: it may be the only copy of the user's uncommitted changes.
            let name = format!("checkpoint-{}-{}", assignment.iteration, short(dirty));
            self.workspace.back_up(&name, dirty)?;
        }
        let bytes = serde_json::to_vec(&checkpoint).unwrap_or_default();
        let path = folder.join(FILE);
        own_file::write(&path, &bytes).map_err(RunError::disk(path.display()))?;
        let (checkpoint, digest) = (Arc::new(checkpoint), Sha256Digest::of(&bytes));
        Ok(Some(RollbackPoint { checkpoint, digest, file: path }))
    }

    /// git may have removed commits without a ref.
    pub(crate) fn still_exists(&self, point: &RollbackPoint) -> Result<bool, RunError> {
        let checkpoint = &point.checkpoint;
        for commit in [Some(&checkpoint.head), checkpoint.dirty.as_ref()].into_iter().flatten() {
            if !self.workspace.tree.has_commit(commit, deadline())? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the discarded commit, if the iteration left work.
    pub(crate) fn roll_back(
        &mut self,
        begun: &RollingBack,
        point: &RollbackPoint,
        new_ignored: NewIgnored,
    ) -> Result<Option<CommitId>, RunError> {
        let to = &*point.checkpoint;
        let (layout, branch) = (self.layout, self.workspace.baseline.branch.clone());
        let excluded = |path: &str| is_left_alone(layout, path);
        self.workspace.remove_stale_git_locks()?;
        let Assignment { iteration, attempt, story, .. } = &begun.assignment;
        let discarded = self.workspace.tree.discarded(&branch, to, excluded, deadline())?;
        let backup = match &discarded {
            // Unique, because a repetition after a crash may discard another commit.
            Some(commit) => {
                let name = format!("rolled-back-{iteration}-{attempt}-{}", short(commit));
                self.workspace.back_up(&name, commit)?
            }
            None => String::new(),
        };
        let rolled =
            self.workspace.tree.roll_back_and(new_ignored, &branch, to, excluded, deadline())?;
        self.report_roll_back(*iteration, story, to, backup, &rolled);
        Ok(discarded)
    }

    fn report_roll_back(
        &self,
        iteration: u64,
        story: &StoryId,
        to: &Checkpoint,
        backup: String,
        rolled: &vcs::RolledBack,
    ) {
        self.sink.emit(LoopEvent::RolledBack(events::RolledBack {
            iteration,
            story: story.clone(),
            to: to.head.to_string(),
            backup,
            removed: rolled.removed_files,
            restored: rolled.restored.len() as u64,
            left: list_some(&rolled.left),
        }));
    }

    /// Squashes the commits of an iteration that did not fail.
    pub(crate) fn squash(&mut self, iteration: &Iteration, step: Step) -> Result<(), RunError> {
        let options = self.options;
        let Some(rollback) = &options.rollback else { return Ok(()) };
        if matches!(step, Step::ChecksFailed | Step::Undone) {
            return Ok(());
        }
        let from = &iteration.checkpoint;
        let Some(head) = self.workspace.tree.head(deadline())?.filter(|head| head != from) else {
            return Ok(());
        };
        let subjects =
            self.workspace.tree.subjects_between(from, &head, MOST_COMMITS, deadline())?;
        let message = message(rollback, iteration, &subjects);
        self.workspace.tree.squash_since(from, &message, deadline())?;
        Ok(())
    }
}

fn short(commit: &CommitId) -> String {
    commit.as_str().chars().take(12).collect()
}

/// Limited, because a build may have changed thousands of ignored files.
fn list_some(left: &[vcs::NotRestored]) -> Vec<String> {
    let more = left.len().saturating_sub(MOST_LISTED);
    let words = left.iter().take(MOST_LISTED).map(ToString::to_string);
    words.chain((more > 0).then(|| format!("and {more} more"))).collect()
}

/// `ralph[7]: US-003 — Title`, and the subjects of the agent's commits.
fn message(rollback: &RollbackOptions, iteration: &Iteration, subjects: &[String]) -> String {
    let Assignment { iteration: number, mode, story, attempt, .. } = &iteration.assignment;
    let title = iteration.story().map(|story| sanitize::plain(story.title.trim()));
    let title = title.unwrap_or_default();
    let mode = match mode {
        Mode::Implement => String::new(),
        mode => format!(" ({mode})"),
    };
    // An interrupted attempt may have left a commit with the same number.
    let again = if *attempt > 1 { format!(", try {attempt}") } else { String::new() };
    let subject = format!("{}[{number}]: {story} — {title}{mode}{again}", rollback.prefix);
    // Squashed again after a crash, the commit has only its own subject.
    let lines: Vec<String> =
        subjects.iter().filter(|line| **line != subject).map(|line| format!("- {line}")).collect();
    if lines.is_empty() { subject } else { format!("{subject}\n\n{}", lines.join("\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An agent can write there, so the digest must match.
    #[test]
    fn a_checkpoint_counts_only_with_its_recorded_digest() {
        let dir = assert_fs::TempDir::new().unwrap();
        let checkpoint = |head: char| {
            let checkpoint = Checkpoint {
                head: CommitId::new(&head.to_string().repeat(40)).unwrap(),
                dirty: None,
                ignored: vcs::IgnoredBefore::default(),
                unwatched: vcs::UnwatchedFiles::default(),
                taken: 0,
                modes: Default::default(),
                settings: Default::default(),
            };
            serde_json::to_vec(&checkpoint).unwrap()
        };
        let digest = Sha256Digest::of(checkpoint('a'));
        let head = || {
            let point = RollbackPoint::recorded_in(dir.path(), digest);
            point.map(|point| point.checkpoint.head.to_string())
        };
        assert_eq!(head(), None, "the file is missing");
        std::fs::write(dir.path().join(FILE), checkpoint('a')).unwrap();
        assert_eq!(head(), Some("a".repeat(40)));
        std::fs::write(dir.path().join(FILE), checkpoint('b')).unwrap();
        assert_eq!(head(), None, "the file was changed");
    }

    #[test]
    fn a_long_list_of_files_is_cut() {
        let left = |count: usize| {
            let file = |number| vcs::NotRestored {
                path: format!("f{number}"),
                why: vcs::NotRestoredReason::Changed,
            };
            list_some(&(0..count).map(file).collect::<Vec<_>>())
        };
        assert!(left(0).is_empty());
        assert_eq!(left(MOST_LISTED).len(), MOST_LISTED);
        let cut = left(MOST_LISTED + 2);
        assert!(cut[0].starts_with("f0") && cut.len() == MOST_LISTED + 1);
        assert_eq!(cut.last().unwrap(), "and 2 more");
    }

    #[test]
    fn files_of_the_runner_are_left_alone() {
        let layout = Layout::new("/p");
        let is_left = |path| is_left_alone(&layout, path);
        assert!(is_left(".ralph/settings.json") && is_left(".ralph-active"));
        assert!(!is_left("src/lib.rs") && !is_left("ralph/tasks.json"));
    }
}
