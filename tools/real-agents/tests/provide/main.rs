//! How the plugin finds and obtains its native programs: the real scripts and cargo with tiny
//! programs, without Claude Code.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod job;
mod launcher;
mod obtaining;
mod providing;
mod tiny_plugin;
