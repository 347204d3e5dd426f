//! Submits a session to a batch engine, follows it to its end, and brings its commit into the project.

use std::thread;
use std::time::Duration;

use job_engines::{EngineError, Job, JobId};
use supervise::{Ended, Keeper, ProgramRunner, StopRequests};
use tasks::StoryId;
use vcs::{CommitId, WorkTree};

use crate::RunError;
use crate::control::node_jobs::{JobEnd, JobEvent, NodeJob, SessionJobs, Submission, WorkerResult};
use crate::event_sink::EventSink;
use crate::jobs::followed_job::{CancelTimes, EXTRA_TIME, Followed, OnEvent, error_line};
use crate::jobs::following::{Following, Progress};
use crate::jobs::job_log::JobLog;
use crate::jobs::job_output::OutputCopy;
use crate::jobs::job_statuses::JobStatuses;
use crate::options::JobOptions;
use crate::run_files::deadline;
use crate::run_id::random;

pub(super) const POLL: Duration = Duration::from_millis(250);

/// In the tree of a work commit.
pub(crate) const WORK_FILE: &str = "work.json";

/// Names of refs in the project: what a worker reads, and what it pushes.
const WORK: &str = "refs/ralph/work/";
const RESULTS: &str = "refs/ralph/results/";

pub(crate) struct JobRunner<'a> {
    options: &'a JobOptions,
    project: WorkTree,
    keeper: &'a Keeper,
    statuses: JobStatuses,
    /// Programs of the engine are not ended by a stop of the run, which needs them to cancel jobs.
    never: StopRequests,
}

/// The ref that the worker pushes for a work ref.
pub(crate) fn result_ref(work_ref: &str, start: u64) -> String {
    let name = work_ref.strip_prefix(WORK).unwrap_or(work_ref);
    format!("{RESULTS}{name}.{start}")
}

/// The results of all starts.
pub(crate) fn any_result_ref(work_ref: &str) -> String {
    let name = work_ref.strip_prefix(WORK).unwrap_or(work_ref);
    format!("{RESULTS}{name}.*")
}

impl<'a> JobRunner<'a> {
    pub(crate) fn new(options: &'a JobOptions, project: WorkTree, keeper: &'a Keeper) -> Self {
        let (statuses, never) = (JobStatuses::default(), StopRequests::new());
        Self { options, project, keeper, statuses, never }
    }

    fn runner(&self) -> ProgramRunner<'_> {
        ProgramRunner { keeper: self.keeper, folder: self.project.top(), stop: &self.never }
    }

    /// An engine or a remote repository that refuses is tried again, like an agent that crashes.
    pub(super) fn submit(&self, job: &NodeJob<'_>) -> Result<Result<JobId, String>, RunError> {
        let name = &*work_ref(job);
        let Self { project, options, .. } = self;
        // The worker and the checks of its result need the commit in the project.
        if !project.has_commit(job.start, deadline())? {
            // It may be on no branch. An agent cannot guess the name.
            let start = format!("refs/ralph/start/{}", random(8));
            job.clone.set_ref(&start, job.start, deadline())?;
            project.fetch_ref(job.clone.top(), &start, job.start, name, deadline())?;
            job.clone.remove_ref(&start, deadline())?;
        }
        let commit = project.commit_file(WORK_FILE, job.work, job.start, deadline())?;
        project.set_ref(name, &commit, deadline())?;
        if let Some(remote) = &options.remote
            && let Err(error) = project.push_commit(remote, &commit, name, deadline())
        {
            return Ok(Err(error.to_string()));
        }
        let limit = job.limit.map(|limit| limit.saturating_add(EXTRA_TIME));
        let job = Job {
            name: job.name.clone(),
            run_id: job.run_id.to_owned(),
            story: job.story.to_string(),
            work: options.work(project, name, &commit),
            limit: [limit, options.limit].into_iter().flatten().min(),
            log: job.log.to_path_buf(),
        };
        let submitted = options.engine.submit(&job, &self.runner());
        Ok(submitted.map_err(|error| error.to_string()))
    }

    pub(super) fn engine_name(&self) -> &str {
        &self.options.name
    }

    /// Follows the job from the beginning of its log.
    pub(super) fn follow(&self, id: JobId, job: &NodeJob<'_>) -> Following<'_> {
        Following {
            followed: Followed::new(JobLog::new(job.log.to_path_buf())),
            status: self.statuses.follow(id.clone()),
            output: OutputCopy::new(self.keeper, self.project.top(), job.log),
            stops: CancelTimes::default(),
            engine: &*self.options.engine,
            runner: self.runner(),
            name: job.name.clone(),
            grace: job.grace,
            id,
        }
    }

    /// Removes the refs of the jobs for this story.
    pub(crate) fn forget(&self, run_id: &str, story: &StoryId, sink: &EventSink<'_>) {
        for root in [WORK, RESULTS] {
            let root = format!("{root}{run_id}/{story}/");
            let removed = self.project.remove_refs(&root, deadline()).and_then(|names| {
                let remote = self.options.remote.as_deref().filter(|_| !names.is_empty());
                remote
                    .map_or(Ok(()), |remote| self.project.remove_pushed(remote, &names, deadline()))
            });
            if let Err(error) = removed {
                sink.warn(format!("cannot remove the refs {root}*: {error}"));
            }
        }
    }

    /// Of a job that has ended.
    pub(super) fn remove(&self, id: &JobId, on_event: OnEvent<'_>) {
        if let Err(error) = self.options.engine.remove(id, &self.runner()) {
            on_event(JobEvent::Warning(format!("cannot remove job {}: {error}", id.0)));
        }
    }

    /// Brings the commit of the result into the project.
    fn fetch(&self, result: &WorkerResult, start: u64, name: &str) -> Result<(), RunError> {
        let Some(commit) = &result.commit else { return Ok(()) };
        let commit = CommitId::new(commit).map_err(|_| no_result(name))?;
        let pushed = result_ref(name, start);
        match &self.options.remote {
            Some(remote) => {
                self.project.fetch_remote(remote, &pushed, &commit, &pushed, deadline())?;
            }
            None if self.project.rev_parse(&pushed, deadline())? == Some(commit) => {}
            None => return Err(no_result(name)),
        }
        Ok(())
    }
}

impl SessionJobs for JobRunner<'_> {
    fn engine(&self) -> &str {
        self.engine_name()
    }

    fn run(
        &self,
        job: &NodeJob<'_>,
        stop: &StopRequests,
        on_event: OnEvent<'_>,
    ) -> Result<JobEnd, RunError> {
        let name = work_ref(job);
        let id = match job.submission {
            Submission::New => match self.submit(job)? {
                Ok(id) => Some(id),
                Err(error) => {
                    error_line(&error, on_event);
                    return Ok(JobEnd { ended: Ended::not_started(), result: None });
                }
            },
            Submission::ByKilledRunner => {
                let found = self.options.engine.find(&job.name, &self.runner());
                found.map_err(|error| not_found(&error))?
            }
        };
        let followed = match &id {
            Some(id) => {
                on_event(JobEvent::Waiting { reason: String::new() });
                let mut following = self.follow(id.clone(), job);
                while following.step(stop, on_event)? == Progress::Open {
                    thread::sleep(POLL);
                }
                following.followed
            }
            // It has ended meanwhile, or was never submitted.
            None => {
                let mut followed = Followed::new(JobLog::new(job.log.to_path_buf()));
                followed.read(&job.name, on_event)?;
                followed
            }
        };
        let ended = followed.end(on_event);
        let fetched = followed.result.as_ref();
        let fetched = fetched.map_or(Ok(()), |it| self.fetch(it, followed.start(), &name));
        if let Err(error) = fetched {
            error_line(&format!("cannot get the result of the job: {error}"), on_event);
            return Ok(JobEnd { ended: Ended::not_started(), result: None });
        }
        if let (Some(id), Some(_)) = (id, &followed.result) {
            self.remove(&id, on_event);
        }
        Ok(JobEnd { ended, result: followed.result })
    }
}

fn work_ref(job: &NodeJob<'_>) -> String {
    format!("{WORK}{}/{}/{}", job.run_id, job.story, job.name)
}

fn not_found(error: &EngineError) -> RunError {
    RunError::precondition(
        format!("cannot ask for the jobs of the interrupted run: {error}"),
        "check that the engine can be reached from here, then run the same command again",
    )
}

fn no_result(name: &str) -> RunError {
    RunError::precondition(
        format!("the result of {name} is not in the repository that the worker pushed to"),
        "check `remote` in the settings of the executor, then run the same command again",
    )
}
