//! Prepares an iteration: records everything that it is judged by, in memory and on disk, and writes the marker for
//! the hooks.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use isolation::Isolation;
use project::{ControlFiles, Marker, MarkerMode, ProtectedFiles, record_protected};
use tasks::{Mode, Snapshot};
use vcs::CommitId;

use crate::RunError;
use crate::control::RunClock;
use crate::lane::assignment::Assignment;
use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
use crate::lane::recorded::write_before;
use crate::lane::task_text::TaskText;
use crate::run_files::{self, deadline, no_commit};
use crate::workspace::protected_contents;

/// What the run knows before an iteration starts.
pub(crate) struct StartInput<'s> {
    /// The commit from which the story's first iteration started.
    pub(crate) began_at: Option<&'s str>,
    /// Size in tokens, from the agent's last result.
    pub(crate) context_window: Option<u64>,
    pub(crate) clock: &'s RunClock,
    /// The files of the story's proof, which the session must not change.
    pub(crate) proof_files: &'s ProtectedFiles,
}

/// The values of a marker that differ per iteration.
pub(crate) struct MarkerInput<'a> {
    pub(crate) assignment: &'a Assignment,
    pub(crate) session: &'a str,
    pub(crate) before: &'a TaskText,
    pub(crate) protected: ProtectedFiles,
    pub(crate) checkpoint: &'a CommitId,
}

impl Lane<'_> {
    pub(crate) fn prepare(
        &mut self,
        assignment: Assignment,
        before: Arc<TaskText>,
        session: String,
        start: &StartInput<'_>,
    ) -> Result<Iteration, RunError> {
        let checkpoint = self.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        let Assignment { iteration, attempt, mode, story, .. } = &assignment;
        let began = start.began_at.and_then(|began| CommitId::new(began).ok());
        if let Some(began) = began.filter(|_| *mode == Mode::Review) {
            self.workspace.refuse_forged_objects(story, &began, &checkpoint)?;
        }
        let candidate = assignment.candidate.map(|number| format!("-candidate-{number}"));
        let candidate = candidate.unwrap_or_default();
        let name = format!("{iteration:03}-{mode}-{story}{candidate}");
        let folder = run_files::new_folder(self.layout, &self.workspace.run_id, &name, *attempt)?;
        let rollback_point = self.take_checkpoint(&assignment, &folder)?;
        let proof_files = start.proof_files.keys().map(String::as_str);
        let protected = protected_contents(self.layout, proof_files);
        write_before(self.layout, &folder, &before, &protected)?;
        let input = MarkerInput {
            assignment: &assignment,
            session: &session,
            before: &before,
            protected: record_protected(self.layout)
                .into_iter()
                .chain(start.proof_files.clone())
                .collect(),
            checkpoint: &checkpoint,
        };
        let marker = self.marker(input, start);
        let marker_sha256 = Some(marker.write(self.layout)?);
        Ok(Iteration {
            assignment,
            before,
            marker,
            marker_sha256,
            checkpoint,
            protected,
            folder,
            session,
            rollback_point,
        })
    }

    pub(crate) fn marker(&self, input: MarkerInput<'_>, start: &StartInput<'_>) -> Marker {
        let policy = &self.options.run.policy;
        let (hard, soft) = self.allowance(input.assignment.mode).within(start.clock);
        let now = SystemTime::now();
        let at = |time: Option<Duration>| time.and_then(|time| now.checked_add(time));
        Marker {
            timestamp: Some(events::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)),
            pid: Some(std::process::id()),
            run_id: Some(self.workspace.run_id.clone()),
            session_id: Some(input.session.to_owned()),
            iteration: Some(input.assignment.iteration),
            max_iterations: Some(policy.max_iterations),
            isolation: Some(self.isolation(input.assignment)),
            review: self.options.rules(),
            iteration_mode: Some(input.assignment.mode),
            story_id: Some(input.assignment.story.clone()),
            ralph_dir: Some(self.layout.ralph_dir_name().into()),
            snapshot: Some(Snapshot::of(&input.before.list)),
            protected_files: input.protected,
            checkpoint: Some(input.checkpoint.as_str().to_owned()),
            test_paths: (input.assignment.mode == Mode::Specify)
                .then(|| proof::test_path_patterns(&self.options.proof.test_paths)),
            control_files: self.control_files(),
            dirty_before: self.workspace.baseline.excluded_paths(),
            context_window: start.context_window,
            max_blocks: self.options.max_blocks,
            verdict_in: self.verdict_in(input.assignment.mode),
            soft_limit_at: at([soft.own, soft.shared].into_iter().flatten().min()),
            hard_limit_at: at(hard),
        }
    }

    fn isolation(&self, assignment: &Assignment) -> MarkerMode {
        match self.agent(assignment).isolation.chosen.kind() {
            Isolation::Docker | Isolation::Container | Isolation::Os => MarkerMode::Sandbox,
            Isolation::Guard | Isolation::Open => MarkerMode::Direct,
        }
    }

    /// For the Stop hook, which compares them before it starts git.
    fn control_files(&self) -> Option<ControlFiles> {
        let record = self.workspace.tree.control_record().ok()?;
        ControlFiles::new(serde_json::to_string(&record).ok()?)
    }
}
