//! `ralph-loop doctor` as a user calls it, with fake programs in PATH. The tests with the real Claude Code are in
//! `tools/real-agents/tests/doctor`.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

#[cfg(target_os = "linux")]
mod os_sandbox_checks;
mod programs;
mod projects;
mod setup;
