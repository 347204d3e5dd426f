//! What a run survives: kills at any moment, bad agents, signals, a disk that is full or not
//! writable, a second runner. The built program, a simulated agent, a scratch project.
//!
//! Linux only: who is left running is read from `/proc`.

#![cfg(target_os = "linux")]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot go on fails where it stands, and one that cannot run says why"
)]

mod agents;
mod disk;
mod floods;
mod git_locks;
mod give_up_crash;
mod harness;
mod in_between;
mod kill_sweep;
mod killed_at;
mod killed_review;
mod permissions;
mod planted_settings;
mod signals;
mod survivors;
mod time_limits;
mod two_runners;
