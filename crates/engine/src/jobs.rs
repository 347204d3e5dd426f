//! Sessions and checks as jobs of a batch engine: submits, follows, cancels and finds them again.

mod check_job;
mod followed_job;
mod following;
mod job_log;
mod job_output;
mod job_runner;
mod job_statuses;
mod machines;
pub(crate) mod worker_line;

pub(crate) use job_runner::{JobRunner, WORK_FILE, any_result_ref, result_ref};
pub(crate) use machines::Machines;
