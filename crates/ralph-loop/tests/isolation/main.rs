//! Isolation of agents and checks: the real OS sandbox, real Podman containers, and Docker
//! Sandboxes with a stand-in for its command line.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

#[cfg(target_os = "linux")]
mod container;
mod docker_failures;
mod docker_harness;
mod docker_making;
mod docker_odd_paths;
mod docker_run;
mod docker_sessions;
mod docker_state_folder;
mod docker_survey;
#[cfg(target_os = "linux")]
mod os_sandbox_files;
#[cfg(target_os = "linux")]
mod os_sandbox_harness;
#[cfg(target_os = "linux")]
mod os_sandbox_honest_work;
#[cfg(target_os = "linux")]
mod os_sandbox_kernel;
#[cfg(target_os = "linux")]
mod os_sandbox_network;
#[cfg(target_os = "linux")]
mod os_sandbox_processes;
#[cfg(target_os = "linux")]
mod os_sandbox_secrets;
#[cfg(target_os = "linux")]
#[expect(dead_code, reason = "the tests of whole runs ask for more")]
mod podman;
