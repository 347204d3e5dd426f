//! Sessions as jobs of a batch engine: submits, follows, cancels and finds them again.

mod followed_job;
mod job_log;
mod job_output;
mod job_runner;
mod job_statuses;
pub(crate) mod worker_line;

pub(crate) use job_runner::{JobRunner, WORK_FILE, any_result_ref, result_ref};
