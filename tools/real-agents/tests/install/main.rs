//! Installation of the plugin in the real Claude Code and an empty home, until it is uninstalled.
//!
//! Runs with `-- --ignored`. Needs the program that `scripts/fetch-agent.sh claude` fetches, and
//! the hooks built beside this test (`cargo build --workspace`). Fails without them.

#![cfg(unix)]
#![expect(clippy::panic, clippy::unwrap_used, reason = "a panic fails the test")]

mod from_a_clone;
mod from_a_folder;
mod machine;
#[path = "../plugin/staged_plugin.rs"]
mod staged_plugin;
#[expect(dead_code, reason = "these tests need only a part of it")]
#[path = "../provide/tiny_plugin.rs"]
mod tiny_plugin;
