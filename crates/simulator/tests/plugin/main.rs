//! Our plugin in the real Claude Code: installed into an empty home, driven by a scripted model.
//!
//! Runs with `-- --ignored`. Needs the program that `scripts/fetch-agent.sh claude` fetches, and the
//! hooks built beside this test (`cargo build --workspace`). Without them it fails: whether to skip
//! these tests is not for the tests to decide.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod context;
mod guard;
mod installed;
mod project_with_loop;
mod staged_plugin;
mod structured;

use simulator::{CLAUDE_PATH_VARIABLE, ClaudeCode, Home};
use tempfile::TempDir;

/// An empty home with the plugin installed the way a user installs it. Hooks run from the plugin's
/// folder, which lives as long as the value returned.
fn home_with_plugin() -> (Home, TempDir) {
    let home = Home::new(&claude()).unwrap();
    let plugin = staged_plugin::staged();
    home.install_plugin(plugin.path()).unwrap();
    (home, plugin)
}

fn claude() -> ClaudeCode {
    ClaudeCode::from_env().unwrap_or_else(|| {
        panic!(
            "{CLAUDE_PATH_VARIABLE} is not set: {CLAUDE_PATH_VARIABLE}=$(scripts/fetch-agent.sh claude)"
        )
    })
}
