//! What is on disk about an iteration, so that the next runner can judge it if this one is killed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use bounded_read::read_file;
use events::AgentOutcome;
use project::{LARGEST_TASK_LIST, Layout, ProtectedFiles};
use serde::{Deserialize, Serialize};
use tasks::{ReviewVerdict, Sha256Digest};
use vcs::{CommitId, WorkTree};

use crate::lane::assignment::Assignment;
use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
use crate::lane::prepare::{MarkerInput, StartInput};
use crate::lane::rollback::RollbackPoint;
use crate::lane::story_record::SavedReviewFields;
use crate::lane::task_text::TaskText;
use crate::run_files::deadline;
use crate::workspace::LARGEST_PROTECTED;
use crate::{RunError, own_file};

/// In an iteration's folder: the task list from before the iteration.
const TASKS_BEFORE: &str = "tasks.before.json";

/// Everything needed to judge an iteration whose runner was killed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunningIteration {
    pub(crate) assignment: Assignment,
    pub(crate) session: String,
    pub(crate) checkpoint: String,
    /// The iteration's folder, relative to the project. It contains the task list from before.
    pub(crate) folder: String,
    pub(crate) tasks_before: Sha256Digest,
    pub(crate) protected: ProtectedFiles,
    /// Digest of the written marker.
    pub(crate) marker: Sha256Digest,
    /// Set once the agent has ended.
    pub(crate) outcome: Option<AgentOutcome>,
    /// The verdict in a review's final message.
    #[serde(default)]
    pub(crate) verdict: Option<ReviewVerdict>,
    /// The question in the session's final message.
    #[serde(default)]
    pub(crate) question: Option<String>,
    /// Fields of the stories whose status change is taken back; empty until that is decided.
    #[serde(default)]
    pub(crate) taken_back: Vec<SavedReviewFields>,
    #[serde(default)]
    pub(crate) taken_back_for: TakeBackReason,
    /// Digest of the checkpoint to roll back to if the iteration fails.
    #[serde(default)]
    pub(crate) rollback_point: Option<Sha256Digest>,
}

/// Why a status change is taken back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TakeBackReason {
    /// Checks did not pass.
    #[default]
    Checks,
    /// The verdict of its review is void.
    Verdict,
    /// A further reviewer requests changes.
    Rejection,
}

impl Iteration {
    /// `None` without a marker: such an iteration has not begun.
    pub(crate) fn recorded(&self, layout: &Layout) -> Option<RunningIteration> {
        Some(RunningIteration {
            assignment: self.assignment.clone(),
            session: self.session.clone(),
            checkpoint: self.checkpoint.to_string(),
            folder: layout.name_of(&self.folder),
            tasks_before: Sha256Digest::of(&self.before.text),
            protected: self.marker.protected_files.clone(),
            marker: self.marker_sha256?,
            outcome: None,
            verdict: None,
            question: None,
            taken_back: Vec::new(),
            taken_back_for: TakeBackReason::default(),
            rollback_point: self.rollback_point.as_ref().map(RollbackPoint::digest),
        })
    }
}

impl Lane<'_> {
    /// The iteration as recorded at its start; `None` if the record is lost.
    pub(crate) fn rebuild(
        &self,
        running: RunningIteration,
        start: &StartInput<'_>,
    ) -> Result<Option<Iteration>, RunError> {
        let run_id = &self.workspace.run_id;
        let Ok(checkpoint) = CommitId::new(&running.checkpoint) else { return Ok(None) };
        let Some(folder) = session_folder(self.layout, run_id, &running.folder) else {
            return Ok(None);
        };
        let Some(before) = self.list_before(&folder, &checkpoint, running.tasks_before) else {
            return Ok(None);
        };
        std::fs::create_dir_all(&folder).map_err(RunError::disk(&running.folder))?;
        let protected = protected(&folder, &running.protected);
        let rollback_point =
            running.rollback_point.and_then(|digest| RollbackPoint::recorded_in(&folder, digest));
        if running.rollback_point.is_some() && rollback_point.is_none() {
            self.sink.warn(format!(
                "the checkpoint of iteration {} is lost, so its changes are not rolled back; \
                 files that were uncommitted before it may be in refs/ralph/{run_id}/",
                running.assignment.iteration
            ));
        }
        let input = MarkerInput {
            assignment: &running.assignment,
            session: &running.session,
            before: &before,
            protected: running.protected,
            checkpoint: &checkpoint,
        };
        let marker = self.marker(input, start);
        Ok(Some(Iteration {
            assignment: running.assignment,
            before: Arc::new(before),
            marker,
            // A runner that ended normally has removed its marker.
            marker_sha256: self.layout.marker().exists().then_some(running.marker),
            checkpoint,
            protected,
            folder,
            session: running.session,
            rollback_point,
        }))
    }

    /// The list from before a session, as recorded by a killed runner.
    pub(crate) fn list_before(
        &self,
        folder: &Path,
        checkpoint: &CommitId,
        digest: Sha256Digest,
    ) -> Option<TaskText> {
        let committed =
            || committed(&self.workspace.tree, self.layout, checkpoint, digest, deadline());
        TaskText::parse(&kept(folder, digest).or_else(committed)?).ok()
    }
}

/// Writes what a later runner needs to restore the files if this one is killed.
pub(crate) fn write_before(
    layout: &Layout,
    folder: &Path,
    before: &TaskText,
    protected: &BTreeMap<String, Vec<u8>>,
) -> Result<(), RunError> {
    // The local settings contain secrets, so they are never copied.
    let local = layout.name_of(&layout.local_settings());
    let kept = protected.iter().filter(|(path, _)| **path != local);
    let files = kept.map(|(path, bytes)| {
        (protected_before(folder, path, Sha256Digest::of(bytes)), bytes.as_slice())
    });
    let tasks = (folder.join(TASKS_BEFORE), before.text.as_bytes());
    for (path, bytes) in files.chain([tasks]) {
        own_file::write_unless_same(&path, bytes).map_err(RunError::disk(path.display()))?;
    }
    Ok(())
}

/// A copy of one of the user's files. Iterations with the same contents share it, because these files rarely change.
pub(crate) fn protected_before(folder: &Path, path: &str, digest: Sha256Digest) -> PathBuf {
    let path = path.replace(['/', '\\'], "_");
    folder.with_file_name(format!("before.{path}.{:.12}", digest.to_string()))
}

/// The recorded contents of the user's files, without copies whose digest does not match.
pub(crate) fn protected(folder: &Path, recorded: &ProtectedFiles) -> BTreeMap<String, Vec<u8>> {
    let copy = |(path, digest): (&String, &Option<Sha256Digest>)| {
        let digest = (*digest)?;
        let bytes = read_file(&protected_before(folder, path, digest), LARGEST_PROTECTED).ok()?;
        (Sha256Digest::of(&bytes) == digest).then(|| (path.clone(), bytes))
    };
    recorded.iter().filter_map(copy).collect()
}

/// Uses only the last component of the path in `state.json`: an agent could have written any path there.
pub(crate) fn session_folder(layout: &Layout, run_id: &str, folder: &str) -> Option<PathBuf> {
    Some(layout.run_dir(run_id).join(Path::new(folder).file_name()?))
}

/// The copy in a session's folder, if its digest matches. An agent can write there.
pub(crate) fn kept(folder: &Path, digest: Sha256Digest) -> Option<Vec<u8>> {
    let bytes = read_file(&folder.join(TASKS_BEFORE), LARGEST_TASK_LIST).ok()?;
    (Sha256Digest::of(&bytes) == digest).then_some(bytes)
}

/// The list in the commit from which a session started, if its digest matches.
pub(crate) fn committed(
    tree: &WorkTree,
    layout: &Layout,
    checkpoint: &CommitId,
    digest: Sha256Digest,
    deadline: Instant,
) -> Option<Vec<u8>> {
    let name = layout.tasks_name();
    let bytes = tree.file_at(checkpoint, &name, LARGEST_TASK_LIST, deadline).ok().flatten()?;
    (Sha256Digest::of(&bytes) == digest).then_some(bytes)
}
