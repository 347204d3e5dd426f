//! The real Codex with a scripted model, run by its adapter and by `ralph-loop`.
//!
//! Other crates test the adapter with recorded streams and the loop with a simulated agent. These
//! tests show that the current Codex accepts the command line and prints the expected stream.
//!
//! Runs with `-- --ignored`. Needs the program that `scripts/fetch-agent.sh codex` fetches, and
//! `ralph-loop` built beside this test (`cargo build --workspace`). Fails without them.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a panic fails the test")]

mod build_loop;
mod codex_session;
#[cfg(target_os = "linux")]
mod interrupted;
mod prompts;
mod refusals;
mod run_setup;
mod session;
mod story_loop;

// Shared with the tests of Claude Code, which use more of it.
#[path = "../runner/loop_process.rs"]
mod loop_process;
#[cfg(target_os = "linux")]
#[path = "../../../../crates/ralph-loop/tests/isolation/podman.rs"]
mod podman;
#[path = "../runner/run_output.rs"]
#[expect(dead_code, reason = "Codex runs no hooks")]
mod run_output;
#[path = "../plugin/staged_plugin.rs"]
#[expect(dead_code, reason = "Codex has no plugin")]
mod staged_plugin;
#[path = "../runner/stories.rs"]
#[expect(dead_code, reason = "not every change of a story is made here")]
mod stories;

use std::path::PathBuf;

use real_agents::{CODEX_PATH_VARIABLE, Codex};
use simulator::{Script, ScriptedModel, Turn};

/// Codex in a fresh home, with this script.
fn codex(script: Script) -> (Codex, ScriptedModel) {
    let codex = Codex::new(program()).unwrap();
    let model = ScriptedModel::start(script).unwrap();
    codex.connect(&model).unwrap();
    (codex, model)
}

fn codex_that_says(turns: impl IntoIterator<Item = Turn>) -> (Codex, ScriptedModel) {
    codex(Script::new(turns))
}

fn program() -> PathBuf {
    Codex::program_from_env().unwrap_or_else(|| {
        panic!(
            "{CODEX_PATH_VARIABLE} is not set: {CODEX_PATH_VARIABLE}=$(scripts/fetch-agent.sh codex)"
        )
    })
}
