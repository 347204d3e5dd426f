//! Sandboxes around agents and checks: that of the operating system and containers of Podman for real, Docker
//! Sandboxes with a stand-in for its command line.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

#[cfg(target_os = "linux")]
mod container;
mod docker_failures;
mod docker_ground;
mod docker_making;
mod docker_odd_paths;
mod docker_run;
mod docker_sessions;
mod docker_state_folder;
mod docker_survey;
#[cfg(target_os = "linux")]
mod os_sandbox_files;
#[cfg(target_os = "linux")]
mod os_sandbox_ground;
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
