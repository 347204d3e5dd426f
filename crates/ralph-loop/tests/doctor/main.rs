//! `ralph-loop doctor` as a user calls it, with programs in PATH that only pretend to be what they are
//! called. What the real Claude Code makes of the hooks: `crates/simulator/tests/doctor`.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

mod clinic;
#[cfg(target_os = "linux")]
mod os_sandbox_checks;
mod programs;
mod projects;
