//! Runs sessions and checks as jobs on other machines and streams their lines. Lanes do not know which engine runs them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use job_engines::JobName;
use serde::{Deserialize, Serialize};
use supervise::{Ended, OutputLine, Reaction, StopRequests};
use tasks::StoryId;
use vcs::{CommitId, WorkTree};

use crate::RunError;
use crate::control::executor::Executor;
use crate::event_sink::EventSink;
use crate::workspace::ReviewNotice;

/// One session, or the checks of one commit.
pub(crate) struct NodeJob<'j> {
    pub(crate) name: JobName,
    pub(crate) run_id: &'j str,
    pub(crate) story: &'j StoryId,
    /// For the worker, as JSON.
    pub(crate) work: &'j [u8],
    /// The clone of the lane.
    pub(crate) clone: &'j WorkTree,
    pub(crate) start: &'j CommitId,
    /// The worker's output.
    pub(crate) log: &'j Path,
    /// The time limit of the work.
    pub(crate) limit: Option<Duration>,
    /// From the polite signal to the kill.
    pub(crate) grace: Duration,
    pub(crate) submission: Submission,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Submission {
    New,
    /// A runner that was killed may have submitted it.
    ByKilledRunner,
}

pub(crate) enum JobEvent<'e> {
    /// It waits in the queue of the engine, whose reason may be empty.
    Waiting {
        reason: String,
    },
    /// The number says how often the engine started the job again.
    Started(WorkerStart, u64),
    Line(OutputLine<'e>),
    /// The lines that follow are those of the check with this number.
    CheckStarted(u64),
    CheckEnded(Ended),
    Warning(String),
    /// A few times per second.
    Tick,
}

/// What a worker prints first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkerStart {
    pub(crate) node: String,
    /// The folder in which the agent works.
    pub(crate) root: PathBuf,
}

/// What a worker prints last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkerResult {
    pub(crate) ended: Ended,
    /// With everything that the session left; `None` if it was not started.
    pub(crate) commit: Option<String>,
    /// Forbidden changes of the worker's repository, which are not in the commit.
    pub(crate) findings: Vec<String>,
    /// For the reviewer of the story.
    pub(crate) notices: Vec<ReviewNotice>,
}

pub(crate) struct JobEnd {
    pub(crate) ended: Ended,
    /// `None` if the job ended without one.
    pub(crate) result: Option<WorkerResult>,
}

pub(crate) trait SessionJobs: Sync {
    /// The name of the engine in the settings.
    fn engine(&self) -> &str;

    /// Returns once the job has ended. The project has the commit of the result then.
    fn run(
        &self,
        job: &NodeJob<'_>,
        stop: &StopRequests,
        on_event: &mut dyn FnMut(JobEvent<'_>) -> Reaction,
    ) -> Result<JobEnd, RunError>;
}

pub(crate) trait CheckJobs: Sync {
    /// Submits all checks as one job. An error says why the engine refused it.
    fn submit<'j>(
        &'j self,
        job: &NodeJob<'_>,
        sink: &'j EventSink<'_>,
    ) -> Result<Result<Box<dyn RunningChecks + 'j>, String>, RunError>;
}

/// Each call of the executor returns the next check of the job.
pub(crate) trait RunningChecks: Executor {
    /// Call it when the checks have ended. An error says why some did not run.
    fn end(self: Box<Self>) -> Result<WorkerResult, String>;
}
