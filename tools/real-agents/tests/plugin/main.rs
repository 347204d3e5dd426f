//! Our plugin in the real Claude Code: installed into an empty home, driven by a scripted model.
//!
//! Runs with `-- --ignored`. Needs the program that `scripts/fetch-agent.sh claude` fetches, and
//! the hooks built beside this test (`cargo build --workspace`). Fails without them.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a panic fails the test")]

mod context;
mod guard;
mod installed;
mod project_with_loop;
mod staged_plugin;
mod structured;

use real_agents::{CLAUDE_PATH_VARIABLE, ClaudeCode, Home};
use tempfile::TempDir;

/// An empty home with the installed plugin. Hooks run from the plugin's folder, which lives as long
/// as the returned value.
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
