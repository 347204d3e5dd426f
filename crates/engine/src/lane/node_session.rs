//! A session on another machine: what its worker gets, and how its result comes into the lane's clone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use events::Traceparent;
use job_engines::JobName;
use serde::{Deserialize, Serialize};
use tasks::StoryId;
use vcs::CommitId;

use crate::RunError;
use crate::control::RunControl;
use crate::control::node_jobs::{NodeJob, SessionJobs, Submission, WorkerResult};
use crate::lane::assignment::Assignment;
use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
use crate::lane::session::SessionInput;
use crate::options::{Guardrail, JobOptions, LaneVariables};
use crate::run_files::deadline;
use crate::session::{Session, SessionRequest};

/// In an iteration's folder: what its worker printed.
pub(crate) const JOB_LOG: &str = "job.log";

/// Larger files of the runner are not copied to a node.
const LARGEST_FILE: u64 = 1024 * 1024;

/// What a worker needs to run a session, besides the commit from which it starts.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeWork {
    /// Of the programs. Another version could enforce other rules.
    pub version: String,
    /// The settings of the run, without secrets.
    pub settings: serde_json::Value,
    pub agent_program: Option<PathBuf>,
    /// Relative to the project.
    pub ralph_dir: PathBuf,
    /// The project in its repository; empty if it is the whole repository.
    pub project_folder: PathBuf,
    pub branch: String,
    /// The author of commits: name and e-mail address.
    pub author: Option<(String, String)>,
    /// Names the run of the worker: a runner on the same machine would end processes of its own run.
    pub(crate) job: String,
    pub(crate) task: NodeTask,
    /// The span of the run, if it is exported.
    #[serde(default)]
    pub(crate) trace: Option<Traceparent>,
    pub(crate) lane: LaneVariables,
    pub(crate) setup: Vec<String>,
    /// What is left of the run's time limit.
    pub(crate) seconds_left: Option<f64>,
    /// Files of the runner that git ignores and the session reads, by path in the project.
    pub(crate) files: BTreeMap<String, String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum NodeTask {
    /// Does everything but a session, to show that one could run.
    Trial,
    Session {
        assignment: Assignment,
        session: String,
        input: SessionInput,
    },
    /// `list` is the text of the task list.
    Checks {
        story: StoryId,
        guardrails: Vec<Guardrail>,
        list: String,
    },
}

impl NodeWork {
    /// Whether it only shows that a session could run.
    pub fn is_trial(&self) -> bool {
        matches!(self.task, NodeTask::Trial)
    }
}

impl Lane<'_> {
    pub(super) fn run_as_job(
        &mut self,
        iteration: &Iteration,
        input: &SessionInput,
        submission: Submission,
        call: &SessionRequest<'_>,
        jobs: &dyn SessionJobs,
        control: &mut RunControl<'_>,
    ) -> Result<Session, RunError> {
        let workspace = &self.workspace;
        let Assignment { iteration: number, attempt, story, candidate, .. } = &iteration.assignment;
        let numbers = match candidate {
            Some(candidate) => format!("{number}-{attempt}-{candidate}"),
            None => format!("{number}-{attempt}"),
        };
        let name = JobName::new(&workspace.run_id, story.as_str(), &numbers);
        let task = NodeTask::Session {
            assignment: iteration.assignment.clone(),
            session: iteration.session.clone(),
            input: input.clone(),
        };
        let jobs_of_sessions = self.options.lanes.as_ref().and_then(|it| it.sessions.as_ref());
        let work = self.node_work(task, jobs_of_sessions, name.to_string(), control)?;
        let job = NodeJob {
            name,
            run_id: &workspace.run_id,
            story,
            work: &serde_json::to_vec(&work).unwrap_or_default(),
            clone: &workspace.tree,
            start: &iteration.checkpoint,
            log: &iteration.folder.join(JOB_LOG),
            limit: call.allowance.limit.hard,
            grace: self.options.run.limits.grace,
            submission,
        };
        let (session, result) = control.run_session_as_job(call, jobs, &job)?;
        if let Some(result) = result {
            self.take_over(iteration, result)?;
        }
        Ok(session)
    }

    /// Follows the session that a killed runner may have submitted. `None` if it had not built the prompt.
    pub(crate) fn follow_again(
        &mut self,
        iteration: &Iteration,
        context_window: Option<u64>,
        control: &mut RunControl<'_>,
    ) -> Result<Option<Session>, RunError> {
        let prompt = iteration.folder.join("prompt.md");
        let Ok(prompt) = bounded_read::read_file(&prompt, LARGEST_FILE) else { return Ok(None) };
        let prompt = String::from_utf8_lossy(&prompt).into_owned();
        let input = SessionInput { prompt, context_window, ..SessionInput::default() };
        self.run_prepared_session(iteration, &input, Submission::ByKilledRunner, control).map(Some)
    }

    /// Moves the clone to the result of a worker. It is judged there, like the work of a session on this machine.
    fn take_over(&mut self, iteration: &Iteration, result: WorkerResult) -> Result<(), RunError> {
        let workspace = &mut self.workspace;
        workspace.found_elsewhere(&iteration.assignment.story, result.findings, result.notices);
        let Some(commit) = result.commit.and_then(|commit| CommitId::new(&commit).ok()) else {
            return Ok(());
        };
        let branch = workspace.baseline.branch.clone();
        Ok(workspace.tree.start_branch(&branch, &commit, deadline())?)
    }

    pub(super) fn node_work(
        &self,
        task: NodeTask,
        jobs: Option<&JobOptions>,
        job: String,
        control: &RunControl<'_>,
    ) -> Result<NodeWork, RunError> {
        let (workspace, layout) = (&self.workspace, self.layout);
        let author = workspace.tree.identity(deadline())?.map(|author| (author.name, author.email));
        let left = control.clock.left(std::time::Instant::now()).hard;
        let lanes = self.options.lanes.as_ref();
        let files = [layout.state_md()];
        Ok(NodeWork {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            settings: jobs.map(|jobs| jobs.settings.clone()).unwrap_or_default(),
            agent_program: jobs.and_then(|jobs| jobs.agent_program.clone()),
            ralph_dir: layout.ralph_dir_name().into(),
            project_folder: workspace.tree.project_folder().to_path_buf(),
            branch: workspace.baseline.branch.clone(),
            author,
            job,
            task,
            trace: control.trace.clone(),
            lane: self.options.run.lane.unwrap_or_default(),
            setup: lanes.map(|lanes| lanes.setup.clone()).unwrap_or_default(),
            seconds_left: left.map(|left| left.as_secs_f64()),
            files: files.iter().filter_map(|file| own_text(layout.root(), file)).collect(),
        })
    }
}

/// The path in the project and the text; `None` if there is no such file.
fn own_text(root: &Path, file: &Path) -> Option<(String, String)> {
    let bytes = bounded_read::read_file(file, LARGEST_FILE).ok()?;
    let name = file.strip_prefix(root).ok()?.to_string_lossy().into_owned();
    Some((name, String::from_utf8(bytes).ok()?))
}
