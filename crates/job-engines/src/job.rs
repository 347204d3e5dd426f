//! A job, its status, and what an engine does with it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use supervise::{ProgramError, ProgramRunner};
use thiserror::Error;

/// Kubernetes allows no longer names.
const LONGEST_NAME: usize = 63;

/// Unique in a project: `ralph-<run>-<story>-<numbers>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobName(String);

impl JobName {
    /// `numbers` are those of the iteration and the attempt.
    pub fn new(run_id: &str, story: &str, numbers: &str) -> Self {
        let allowed =
            |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let (start, end) = (format!("ralph-{run_id}-"), format!("-{numbers}"));
        let left = LONGEST_NAME.saturating_sub(start.len() + end.len());
        let story: String = story.chars().take(left).collect();
        Self(format!("{start}{story}{end}").chars().map(allowed).collect())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The engine's own id of a job.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JobId(pub String);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    pub name: JobName,
    pub run_id: String,
    pub story: String,
    pub work: Work,
    /// The engine ends the job after this time.
    pub limit: Option<Duration>,
    /// The output of the job is appended to this file.
    pub log: PathBuf,
}

/// What the worker of a job does. Other users can read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The repository that has the work and gets its result: a URL or a path.
    pub repository: String,
    /// The full name of the ref.
    pub name: String,
    pub commit: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobStatus {
    pub state: JobState,
    /// Where it runs or ran.
    pub node: Option<String>,
    /// What prints its output, for an engine that does not write it into the log. Another one prints that of another
    /// start.
    pub output: Option<OutputId>,
}

/// The engine's own name of a job's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputId(pub String);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// The engine's reason, such as `Resources`; may be empty.
    Waiting {
        reason: String,
    },
    Running,
    Ended(JobEnd),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobEnd {
    Completed,
    TimeLimit,
    Cancelled,
    /// In the engine's words.
    Failed(String),
}

/// How a job that runs is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancel {
    /// Its command gets SIGTERM and may finish.
    Politely,
    /// All its processes are killed.
    Now,
}

/// Whether a program that failed printed anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Printed {
    Nothing,
    Text,
}

#[derive(Debug, Error)]
pub enum EngineError {
    #[error("{program}: {error}")]
    NotRun { program: String, error: ProgramError },
    #[error("{program} failed: {message}")]
    Refused { program: String, message: String, printed: Printed },
    #[error("{program} printed something unexpected: {printed}")]
    Unreadable { program: String, printed: String },
}

pub trait JobEngine: fmt::Debug + Send + Sync {
    fn submit(&self, job: &Job, runner: &ProgramRunner<'_>) -> Result<JobId, EngineError>;

    /// The job of this name, if the engine knows it and its output can still be read from it.
    fn find(
        &self,
        name: &JobName,
        runner: &ProgramRunner<'_>,
    ) -> Result<Option<JobId>, EngineError>;

    /// Of those that the engine has not forgotten, as it does some time after their end.
    fn statuses(
        &self,
        ids: &[JobId],
        runner: &ProgramRunner<'_>,
    ) -> Result<BTreeMap<JobId, JobStatus>, EngineError>;

    /// A job that waits never starts. Nothing happens to one that has ended.
    fn cancel(
        &self,
        id: &JobId,
        how: Cancel,
        runner: &ProgramRunner<'_>,
    ) -> Result<(), EngineError>;

    /// The program that prints the output from its beginning and then as it comes, with its arguments. `None` if the
    /// engine writes the log.
    fn output_program(&self, _: &OutputId) -> Option<(PathBuf, Vec<OsString>)> {
        None
    }

    /// When the repository has the result.
    fn delivery(&self) -> Delivery {
        Delivery::BeforeItIsPrinted
    }

    /// Removes what the engine keeps of a job that has ended.
    fn remove(&self, _: &JobId, _: &ProgramRunner<'_>) -> Result<(), EngineError> {
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    BeforeItIsPrinted,
    /// At the end of the job.
    AtItsEnd,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_only_characters_that_every_engine_allows() {
        let name = JobName::new("20261118-225454-aB12", "US_1.x", "3-1");
        assert_eq!(name.as_str(), "ralph-20261118-225454-ab12-us-1-x-3-1");
    }

    #[test]
    fn a_long_story_id_is_cut_and_the_number_stays() {
        let name = JobName::new("20261118-225454-ab12", &"x".repeat(64), "12");
        assert_eq!(name.as_str().len(), 63);
        assert!(name.as_str().ends_with("x-12"), "{name}");
    }
}
