//! The loop with the real Claude Code: `ralph-loop` as a user starts it, and a scripted model.
//!
//! What the loop does with an agent that behaves or misbehaves is tested in its own crates, with a
//! simulated agent. Here is shown that Claude Code gives the runner what those tests take for
//! granted: the stream, the hooks, the signals.
//!
//! Needs what the test `plugin` needs.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod answers;
#[cfg(target_os = "linux")]
mod attacked;
mod background;
mod cheat;
mod compacted;
mod give_up;
mod handoffs;
#[cfg(unix)]
mod interrupted;
mod loop_process;
mod out_of_time;
mod overloaded;
#[path = "../../../ralph-loop/tests/isolation/podman.rs"]
mod podman;
mod programs;
mod rolled_back;
mod sandboxed;
mod stories;
mod told;
mod two_stories;
mod unguarded;
mod verdicts;
mod workshop;

#[path = "../plugin/staged_plugin.rs"]
mod staged_plugin;

use simulator::{CLAUDE_PATH_VARIABLE, ClaudeCode, Script, ScriptedModel, Turn};

fn claude() -> ClaudeCode {
    ClaudeCode::from_env().unwrap_or_else(|| {
        panic!(
            "{CLAUDE_PATH_VARIABLE} is not set: {CLAUDE_PATH_VARIABLE}=$(scripts/fetch-agent.sh claude)"
        )
    })
}

/// One script for all sessions of a run, one after the other.
fn model(sessions: impl IntoIterator<Item = Vec<Turn>>) -> ScriptedModel {
    ScriptedModel::start(Script::new(sessions.into_iter().flatten())).unwrap()
}
