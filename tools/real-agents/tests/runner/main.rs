//! The loop with the real Claude Code: `ralph-loop` as a user starts it, and a scripted model.
//!
//! Other crates test the loop with a simulated agent. These tests show that the real Claude Code
//! provides what those tests assume: the stream, the hooks, the signals.
//!
//! Needs the same as the test `plugin`.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a panic fails the test")]

mod answers;
#[cfg(target_os = "linux")]
mod attacked;
mod background;
mod cheat;
mod compacted;
mod final_review;
mod give_up;
mod handoffs;
#[cfg(unix)]
mod interrupted;
mod lanes;
mod loop_process;
mod out_of_time;
mod overloaded;
#[path = "../../../../crates/ralph-loop/tests/isolation/podman.rs"]
mod podman;
mod programs;
mod proofs;
mod questions;
mod rolled_back;
mod run_output;
mod run_setup;
mod sandboxed;
mod stories;
mod stronger_help;
#[cfg(unix)]
mod traced;
mod two_stories;
mod unguarded;
mod verdicts;

#[cfg(unix)]
#[path = "../browser/child.rs"]
mod child;
#[path = "../plugin/staged_plugin.rs"]
mod staged_plugin;

use real_agents::{CLAUDE_PATH_VARIABLE, ClaudeCode};
use simulator::{Script, ScriptedModel, Turn};

fn claude() -> ClaudeCode {
    ClaudeCode::from_env().unwrap_or_else(|| {
        panic!(
            "{CLAUDE_PATH_VARIABLE} is not set: {CLAUDE_PATH_VARIABLE}=$(scripts/fetch-agent.sh claude)"
        )
    })
}

/// One script for all sessions of a run.
fn model(sessions: impl IntoIterator<Item = Vec<Turn>>) -> ScriptedModel {
    ScriptedModel::start(Script::new(sessions.into_iter().flatten())).unwrap()
}
