//! The real Codex with a scripted model: called and read by its adapter alone, and by `ralph-loop`.
//!
//! What the adapter makes of recorded streams is tested in its own crate, and so is what a loop does
//! with an agent that behaves or misbehaves. Here is shown that the Codex of today takes the command
//! line and gives the stream that those tests take for granted.
//!
//! Runs with `-- --ignored`. Needs the program that `scripts/fetch-agent.sh codex` fetches, and
//! `ralph-loop` built beside this test (`cargo build --workspace`). Without them it fails: whether to
//! skip these tests is not for the tests to decide.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod asked;
mod build_loop;
#[cfg(target_os = "linux")]
mod interrupted;
mod prompts;
mod refusals;
mod session;
mod story_loop;
mod workshop;

// What the tests of Claude Code have too; they need more of it.
#[path = "../runner/loop_process.rs"]
mod loop_process;
#[cfg(target_os = "linux")]
#[path = "../../../ralph-loop/tests/isolation/podman.rs"]
mod podman;
#[path = "../plugin/staged_plugin.rs"]
#[expect(dead_code, reason = "Codex has no plugin")]
mod staged_plugin;
#[path = "../runner/stories.rs"]
#[expect(dead_code, reason = "not every change of a story is made here")]
mod stories;
#[path = "../runner/told.rs"]
#[expect(dead_code, reason = "Codex runs no hooks")]
mod told;

use std::path::PathBuf;

use simulator::{CODEX_PATH_VARIABLE, Codex, Script, ScriptedModel, Turn};

/// Codex in a fresh home, with a model that says this.
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
