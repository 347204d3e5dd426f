//! A sandbox of Docker's around the agent, with a stand-in for its command line: the steps of it, and
//! whole runs.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

mod docker_failures;
mod docker_ground;
mod docker_making;
mod docker_odd_paths;
mod docker_run;
mod docker_sessions;
mod docker_state_folder;
mod docker_survey;
