//! How the plugin finds and gets its native programs, without Claude Code: a plugin of tiny programs,
//! its real scripts, the real cargo.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

mod job;
mod launcher;
mod obtaining;
mod providing;
mod tiny_plugin;
