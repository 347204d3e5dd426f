//! Sessions as jobs of a batch engine: submits, follows, cancels and finds them again.

mod followed_job;
mod job_log;
mod job_runner;
pub(crate) mod worker_line;

pub(crate) use job_runner::{JobRunner, WORK_FILE, result_ref};
