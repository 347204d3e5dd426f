//! Robustness of a run: kills at any time, bad agents, signals, a full or read-only disk, a second
//! runner. Uses the built program, a simulated agent and a temporary project.
//!
//! Linux only: leftover processes are read from `/proc`.

#![cfg(target_os = "linux")]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a panic fails the test, and one that cannot run says why"
)]

mod agents;
mod disk;
mod floods;
mod git_locks;
mod give_up_crash;
mod harness;
mod in_between;
mod job_events;
mod kill_sweep;
mod killed_at;
mod killed_review;
mod kubernetes;
mod lane_kill_sweep;
mod lanes;
mod permissions;
mod planted_settings;
mod proofs;
mod questions;
mod signals;
mod slurm;
mod stats;
mod survivors;
mod sweep;
mod time_limits;
mod two_runners;
