//! Checks merged work in a clone where no agent works.

use std::path::{Path, PathBuf};

use tasks::{Sha256Digest, StoryId};
use vcs::{CommitId, ControlRecord, WorkTree};

use crate::RunError;
use crate::control::RunControl;
use crate::event_sink::EventSink;
use crate::lane::{ChecksResult, Lane, TaskText};
use crate::options::StoryOptions;
use crate::parallel::clones;
use crate::parallel::setup::{SetupResult, set_up};
use crate::run_files::{self, deadline};
use crate::workspace::Baseline;

/// Its branch; nothing else uses it.
const BRANCH: &str = "ralph-verification";

pub(crate) struct Verification<'a> {
    project: WorkTree,
    folder: PathBuf,
    lane: Lane<'a>,
    /// Checks run in the folder of its options.
    control: RunControl<'a>,
    setup: &'a [String],
    set_up_for: Option<Sha256Digest>,
    /// The control files of git, from before any check ran.
    git_files: ControlRecord,
}

/// A new clone in `folder`. What another program may have left there is not used.
pub(crate) fn make_clone(
    project: &WorkTree,
    folder: &Path,
    options: &StoryOptions,
    sink: &EventSink<'_>,
) -> Result<WorkTree, RunError> {
    project::remove_any(folder).map_err(RunError::disk(folder.display()))?;
    let tree = clones::open(project, folder, &options.run.layout, sink)?.tree;
    run_files::hide_from_git(&tree, &options.run.layout)?;
    // A sandbox makes them read-only, so it would create them.
    tree.make_control_files()?;
    Ok(tree)
}

impl<'a> Verification<'a> {
    pub(crate) fn new(
        project: WorkTree,
        folder: PathBuf,
        tree: WorkTree,
        options: &'a StoryOptions,
        control: RunControl<'a>,
        setup: &'a [String],
    ) -> Result<Self, RunError> {
        let git_files = tree.control_record()?;
        let (run_id, sink) = (control.run_id.clone(), control.sink.clone());
        let lane = Lane::new(options, run_id, tree, Baseline::default(), sink);
        Ok(Self { project, folder, lane, control, setup, set_up_for: None, git_files })
    }

    /// Makes the clone again if another program changed what git does in it.
    fn require_own_git_files(&mut self) -> Result<(), RunError> {
        // Opened again: the known one returns what it recorded.
        let now = WorkTree::open(self.lane.layout.root()).map(|tree| tree.control_record());
        if now.is_ok_and(|now| now.is_ok_and(|now| now == self.git_files)) {
            return Ok(());
        }
        let Self { lane, control, folder, .. } = self;
        let folder_name = folder.display();
        control.sink.warn(format!(
            "another program changed git's files in the verification clone ({folder_name}); made it again"
        ));
        let tree = make_clone(&self.project, folder, lane.options, &control.sink)?;
        self.git_files = tree.control_record()?;
        self.set_up_for = None;
        let (run_id, sink) = (control.run_id.clone(), control.sink.clone());
        self.lane = Lane::new(lane.options, run_id, tree, Baseline::default(), sink);
        Ok(())
    }

    /// Writes the results into `folder`; `sink` names the lane that works on the story.
    pub(crate) fn check(
        &mut self,
        story: &StoryId,
        commit: &CommitId,
        list: &TaskText,
        folder: &Path,
        sink: &EventSink<'a>,
    ) -> Result<ChecksResult, RunError> {
        run_files::make_folder(folder, self.lane.layout)?;
        self.lane.sink.clone_from(sink);
        self.control.sink.clone_from(sink);
        self.require_own_git_files()?;
        let workspace = &mut self.lane.workspace;
        // A check may have changed anything since the last time.
        workspace.guard_repository(None, false)?;
        workspace.tree.start_branch(BRANCH, commit, deadline())?;
        let (control, done_for) = (&mut self.control, &mut self.set_up_for);
        match set_up(self.setup, commit, workspace, control, done_for, folder)? {
            SetupResult::Unneeded => {}
            SetupResult::Done => workspace.tree.start_branch(BRANCH, commit, deadline())?,
            SetupResult::Failed(why) => return Ok(ChecksResult::ForbiddenChanges(vec![why])),
            SetupResult::Interrupted => return Ok(ChecksResult::Interrupted),
        }
        workspace.baseline.branch = BRANCH.to_owned();
        workspace.record_users_files()?;
        let guardrails = self.lane.guardrails(&list.list);
        let (control, story) = (&mut self.control, Some(story.clone()));
        Ok(self.lane.run_checks(control, story, &guardrails, &list.text, folder)?.result)
    }
}
