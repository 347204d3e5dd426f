//! An iteration as recorded before the agent starts. It is judged by these values, which are in memory, out of the
//! agent's reach.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use isolation::Isolation;
use project::{ControlFiles, Layout, Marker, MarkerMode, ProtectedFiles, StoredMarker, Tampering};
use tasks::{Correction, Mode, ReviewPolicy, Sha256Digest, Snapshot, Story};
use vcs::CommitId;

use crate::stories::assignment::Assignment;
use crate::stories::prompt::Escalation;
use crate::stories::roll_back::RollbackPoint;
use crate::stories::run::Run;
use crate::stories::task_text::TaskText;
use crate::workspace::SessionWork;

#[derive(Debug)]
pub(crate) struct Iteration {
    pub(crate) assignment: Assignment,
    pub(crate) before: Rc<TaskText>,
    pub(crate) marker: Marker,
    /// Digest of the written marker; `None` if the runner that wrote it was killed.
    pub(crate) marker_sha256: Option<Sha256Digest>,
    pub(crate) checkpoint: CommitId,
    /// Contents of the user's files, as far as known after a runner was killed.
    pub(crate) protected: BTreeMap<String, Vec<u8>>,
    pub(crate) folder: PathBuf,
    pub(crate) session: String,
    /// The state to roll back to if it fails; `None` if failed work stays.
    pub(crate) rollback_point: Option<RollbackPoint>,
    /// Extra help, because earlier attempts failed with the same error.
    pub(crate) escalation: Escalation,
}

/// The values of a marker that differ per iteration.
#[derive(Debug)]
pub(crate) struct MarkerInput<'a> {
    pub(crate) assignment: &'a Assignment,
    pub(crate) session: &'a str,
    pub(crate) before: &'a TaskText,
    pub(crate) protected: ProtectedFiles,
    pub(crate) checkpoint: &'a CommitId,
}

impl Run<'_> {
    fn isolation(&self, mode: Mode) -> MarkerMode {
        match self.agent(mode).isolation.chosen.kind() {
            Isolation::Docker | Isolation::Container | Isolation::Os => MarkerMode::Sandbox,
            Isolation::Guard | Isolation::Open => MarkerMode::Direct,
        }
    }

    /// For the Stop hook, which compares them before it starts git.
    fn control_files(&self) -> Option<ControlFiles> {
        let record = self.workspace.tree.control_record().ok()?;
        ControlFiles::new(serde_json::to_string(&record).ok()?)
    }

    pub(crate) fn marker(&self, input: MarkerInput<'_>) -> Marker {
        let policy = &self.options.run.policy;
        let (hard, soft) = self.allowance(input.assignment.mode).within(&self.control.clock);
        let now = SystemTime::now();
        let at = |time: Option<Duration>| time.and_then(|time| now.checked_add(time));
        Marker {
            timestamp: Some(events::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)),
            pid: Some(std::process::id()),
            run_id: Some(self.state.run_id.clone()),
            session_id: Some(input.session.to_owned()),
            iteration: Some(input.assignment.iteration),
            max_iterations: Some(policy.max_iterations),
            isolation: Some(self.isolation(input.assignment.mode)),
            review: self.options.rules(),
            iteration_mode: Some(input.assignment.mode),
            story_id: Some(input.assignment.story.clone()),
            ralph_dir: Some(self.layout.ralph_dir_name().into()),
            snapshot: Some(Snapshot::of(&input.before.list)),
            protected_files: input.protected,
            checkpoint: Some(input.checkpoint.as_str().to_owned()),
            control_files: self.control_files(),
            dirty_before: self.workspace.baseline.excluded_paths(),
            context_window: self.state.context_window,
            max_blocks: self.options.max_blocks,
            verdict_in: self.verdict_in(input.assignment.mode),
            soft_limit_at: at([soft.own, soft.shared].into_iter().flatten().min()),
            hard_limit_at: at(hard),
            ..Marker::default()
        }
    }
}

impl Iteration {
    pub(crate) fn story(&self) -> Option<&Story> {
        self.before.list.story(&self.assignment.story)
    }

    pub(crate) fn work(&self) -> SessionWork<'_> {
        let Assignment { iteration, attempt, .. } = &self.assignment;
        SessionWork {
            label: self.label(),
            story: &self.assignment.story,
            folder: &self.folder,
            checkpoint: &self.checkpoint,
            backup: format!("{iteration}-{attempt}"),
        }
    }

    /// `iteration 3 (review of US-002)`
    pub(crate) fn label(&self) -> String {
        let Assignment { iteration, mode, story, .. } = &self.assignment;
        format!("iteration {iteration} ({mode} of {story})")
    }

    pub(crate) fn review(&self) -> ReviewPolicy {
        self.marker.review
    }

    /// The task list that the session left, without forbidden changes.
    pub(crate) fn corrected(&self, left: &[u8]) -> Correction {
        let rules = match self.review() {
            ReviewPolicy::Skipped => None,
            ReviewPolicy::Required { cap } => Some(tasks::Iteration {
                mode: self.assignment.mode,
                selected: Some(self.assignment.story.clone()),
                review_cap: cap,
            }),
        };
        tasks::correct(&self.before.text, left, rules.as_ref())
    }

    /// How the marker on disk was changed, if it was.
    pub(crate) fn tampering(&self, layout: &Layout) -> Option<Tampering> {
        let written = self.marker_sha256?;
        match StoredMarker::load(layout) {
            Ok(None) => Some(Tampering::Removed),
            Err(error) => Some(Tampering::Unreadable { why: error.to_string() }),
            Ok(Some(stored)) => {
                let found = stored.sha256();
                (written != found).then_some(Tampering::Altered { written, found })
            }
        }
    }
}
