//! A job, its status, and what an engine does with it.

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobId(pub String);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    pub name: JobName,
    /// Program and arguments. Other users can read them.
    pub command: Vec<String>,
    /// The engine ends the job after this time.
    pub limit: Option<Duration>,
    /// The output of the job is appended to this file.
    pub log: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobStatus {
    pub state: JobState,
    /// Where it runs or ran.
    pub node: Option<String>,
    /// How often the engine started it again, for example after a node was lost.
    pub restarts: u64,
}

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

    /// The job of this name that waits or runs.
    fn find(
        &self,
        name: &JobName,
        runner: &ProgramRunner<'_>,
    ) -> Result<Option<JobId>, EngineError>;

    /// `None` if the engine has forgotten the job, as it does some time after its end.
    fn status(
        &self,
        id: &JobId,
        runner: &ProgramRunner<'_>,
    ) -> Result<Option<JobStatus>, EngineError>;

    /// A job that waits never starts. Nothing happens to one that has ended.
    fn cancel(
        &self,
        id: &JobId,
        how: Cancel,
        runner: &ProgramRunner<'_>,
    ) -> Result<(), EngineError>;
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
