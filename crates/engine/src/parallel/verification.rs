//! Checks merged work in a clone where no agent works.

use std::path::{Path, PathBuf};

use events::ProofRun;
use tasks::{Sha256Digest, StoryId};
use vcs::{CommitId, ControlRecord, WorkTree};

use crate::RunError;
use crate::checks::KnownFailures;
use crate::clones::{self, SetupResult, set_up};
use crate::control::RunControl;
use crate::event_sink::EventSink;
use crate::lane::{ChecksResult, Lane, StoryProof, TaskText, TestedWork, complaints};
use crate::options::StoryOptions;
use crate::parallel::{clone_files, feedback};
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
    /// The control files of git, since the last check. `None` if they could not be read.
    git_files: Option<ControlRecord>,
    /// The same when the clone was made.
    as_made: ControlRecord,
    /// The other files, since the last check. Later checks use what git ignores, such as installed dependencies.
    files: Option<Sha256Digest>,
}

/// Work of a story that is merged with the run's branch.
pub(crate) struct MergedWork<'w> {
    pub(crate) story: &'w StoryId,
    pub(crate) commit: &'w CommitId,
    /// The tip of the run's branch, if only checks of the changed paths are to run.
    pub(crate) since: Option<&'w CommitId>,
    pub(crate) list: &'w TaskText,
    pub(crate) known: &'w KnownFailures,
    pub(crate) proof: Option<&'w StoryProof>,
    pub(crate) iteration: u64,
    /// The run's branch.
    pub(crate) branch: &'w str,
}

/// What checks and proof say about merged work.
pub(crate) enum MergedResult {
    /// The commands of the checks.
    Passed(Vec<String>),
    /// What the next session of the story reads.
    Failed(String),
    /// The user stopped the run.
    Interrupted,
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
        let as_made = tree.control_record()?;
        let git_files = Some(as_made.clone());
        let (run_id, sink) = (control.run_id.clone(), control.sink.clone());
        let lane = Lane::new(options, run_id, tree, Baseline::default(), sink);
        let files = clone_files::digest(&folder);
        Ok(Self {
            project,
            folder,
            lane,
            control,
            setup,
            set_up_for: None,
            git_files,
            as_made,
            files,
        })
    }

    /// Makes the clone again if another program changed something in it. `sink` names the lane whose story is next.
    pub(crate) fn require_own_files(
        &mut self,
        sink: &EventSink<'a>,
    ) -> Result<&WorkTree, RunError> {
        self.lane.sink.clone_from(sink);
        self.control.sink.clone_from(sink);
        let files = clone_files::digest(&self.folder);
        if (self.git_files.is_some() && self.read_git_files() == self.git_files)
            && (files.is_some() && files == self.files)
        {
            return Ok(&self.lane.workspace.tree);
        }
        let Self { lane, control, folder, .. } = self;
        let folder_name = folder.display();
        control.sink.warn(format!(
            "another program changed files in the verification clone ({folder_name}); made it again"
        ));
        let tree = clones::make(&self.project, folder, lane.layout, &control.sink)?;
        let git_files = tree.control_record()?;
        if git_files != self.as_made {
            return Err(RunError::precondition(
                "git settings of your repository, such as filters or merge drivers, changed during the run, and \
                 another program changed the verification clone",
                "check the settings with `git config --local --list`, then run the same command again",
            ));
        }
        self.git_files = Some(git_files);
        self.files = clone_files::digest(folder);
        self.set_up_for = None;
        let (run_id, sink) = (control.run_id.clone(), control.sink.clone());
        self.lane = Lane::new(lane.options, run_id, tree, Baseline::default(), sink);
        Ok(&self.lane.workspace.tree)
    }

    /// Writes the results into `folder`. After `require_own_files`.
    pub(crate) fn check(
        &mut self,
        work: &MergedWork<'_>,
        folder: &Path,
    ) -> Result<MergedResult, RunError> {
        run_files::make_folder(folder, self.lane.layout)?;
        let checked = self.check_own_files(work, folder)?;
        self.record_own_files()?;
        Ok(checked)
    }

    /// The known work tree returns what it recorded.
    fn read_git_files(&self) -> Option<ControlRecord> {
        WorkTree::open(self.lane.layout.root()).ok()?.control_record().ok()
    }

    /// Before the first story: the checks that fail without its work.
    pub(crate) fn check_base(
        &mut self,
        tip: &CommitId,
        list: &TaskText,
        folder: &Path,
    ) -> Result<KnownFailures, RunError> {
        run_files::make_folder(folder, self.lane.layout)?;
        let known = match self.check_out(tip, folder)? {
            SetupResult::Unneeded | SetupResult::Done => {
                self.lane.check_base(&mut self.control, list, folder)?
            }
            SetupResult::Failed(why) => {
                self.control.sink.warn(format!("setup of the verification clone failed: {why}"));
                None
            }
            SetupResult::Interrupted => None,
        };
        self.record_own_files()?;
        Ok(known.unwrap_or_default())
    }

    fn check_own_files(
        &mut self,
        work: &MergedWork<'_>,
        folder: &Path,
    ) -> Result<MergedResult, RunError> {
        match self.check_out(work.commit, folder)? {
            SetupResult::Unneeded | SetupResult::Done => {}
            SetupResult::Failed(why) => return Ok(MergedResult::Failed(why)),
            SetupResult::Interrupted => return Ok(MergedResult::Interrupted),
        }
        let MergedWork { story, since, list, known, branch, .. } = *work;
        let plan = self.lane.check_plan(&list.list, since.cloned(), known.clone());
        let (control, of_story) = (&mut self.control, Some(story.clone()));
        let report = self.lane.run_checks(control, of_story, &plan, &list.text, folder)?;
        match report.result {
            ChecksResult::Passed => self.prove(work, folder, report.passed),
            ChecksResult::Interrupted => Ok(MergedResult::Interrupted),
            ChecksResult::Failed(failed) => {
                Ok(MergedResult::Failed(feedback::about_checks(branch, &failed)))
            }
            ChecksResult::ForbiddenChanges(findings) => {
                Ok(MergedResult::Failed(findings.join("\n")))
            }
        }
    }

    /// The tests of the proof, which other merged work may break.
    fn prove(
        &mut self,
        work: &MergedWork<'_>,
        folder: &Path,
        passed: Vec<String>,
    ) -> Result<MergedResult, RunError> {
        let Some(proof) = work.proof else { return Ok(MergedResult::Passed(passed)) };
        let MergedWork { story, iteration, list, branch, .. } = *work;
        let tested = TestedWork { story, iteration, folder, task_list: &list.text };
        Ok(match self.run_proof(tested, proof)? {
            None => MergedResult::Interrupted,
            Some(ran) if ran.accepted => MergedResult::Passed(passed),
            Some(ran) => MergedResult::Failed(feedback::about_proof(branch, &complaints(&ran))),
        })
    }

    /// `None` if the user stopped the run.
    pub(crate) fn run_proof(
        &mut self,
        work: TestedWork<'_>,
        proof: &StoryProof,
    ) -> Result<Option<ProofRun>, RunError> {
        self.lane.green_runs(work, proof, Vec::new(), &mut self.control)
    }

    /// Prepares the files of the commit, with some of another commit.
    pub(crate) fn check_out_with(
        &mut self,
        commit: &CommitId,
        (other, paths): (&CommitId, Vec<String>),
        folder: &Path,
    ) -> Result<SetupResult, RunError> {
        let workspace = &mut self.lane.workspace;
        workspace.tree.start_branch(BRANCH, commit, deadline())?;
        workspace.restore_files_of(other, paths.clone())?;
        let tree = workspace.tree.tree_with(&paths.iter().collect::<Vec<_>>(), deadline())?;
        let message = format!("ralph: some files of {other}");
        let mixed = workspace.tree.commit_tree(&tree, &[commit], &message, deadline())?;
        self.check_out(&mixed, folder)
    }

    /// Prepares the files of the commit.
    fn check_out(&mut self, commit: &CommitId, folder: &Path) -> Result<SetupResult, RunError> {
        let workspace = &mut self.lane.workspace;
        // A check may have changed anything since the last time.
        workspace.guard_repository(None, false)?;
        workspace.tree.start_branch(BRANCH, commit, deadline())?;
        let (control, done_for) = (&mut self.control, &mut self.set_up_for);
        let set_up = set_up(self.setup, commit, workspace, control, done_for, folder)?;
        if matches!(set_up, SetupResult::Done) {
            workspace.tree.start_branch(BRANCH, commit, deadline())?;
        }
        workspace.baseline.branch = BRANCH.to_owned();
        workspace.record_users_files()?;
        Ok(set_up)
    }

    /// What a check changed is no change of another program. A sandbox adds empty files that it makes read-only.
    fn record_own_files(&mut self) -> Result<(), RunError> {
        self.lane.workspace.tree.restore_control_files()?;
        self.git_files = self.read_git_files();
        self.files = clone_files::digest(&self.folder);
        Ok(())
    }
}
