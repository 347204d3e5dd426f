//! The sandbox of Claude Code, told what `walls` says, around the real Claude Code.
//!
//! Runs with `-- --ignored`. Needs the program that `scripts/fetch-agent.sh claude` fetches, the hooks
//! built beside this test (`cargo build --workspace`), and a machine on which bubblewrap can run.
//! Without them it fails: whether to skip these tests is not for the tests to decide.

#![cfg(target_os = "linux")]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod cell;
mod files;
mod guards;
mod listener;
mod network;
#[path = "../plugin/project_with_loop.rs"]
#[expect(dead_code, reason = "the tests of the plugin ask for more")]
mod project_with_loop;
mod secrets;
#[path = "../plugin/staged_plugin.rs"]
mod staged_plugin;
mod tightness;

use simulator::{CLAUDE_PATH_VARIABLE, ClaudeCode};

fn claude() -> ClaudeCode {
    ClaudeCode::from_env().unwrap_or_else(|| {
        panic!(
            "{CLAUDE_PATH_VARIABLE} is not set: {CLAUDE_PATH_VARIABLE}=$(scripts/fetch-agent.sh claude)"
        )
    })
}
