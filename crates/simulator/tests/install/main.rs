//! The plugin as its users get it, in the real Claude Code and an empty home: from the marketplace to
//! the last uninstall.
//!
//! Runs with `-- --ignored`. Needs the program that `scripts/fetch-agent.sh claude` fetches, and the
//! hooks built beside this test (`cargo build --workspace`). Without them it fails: whether to skip
//! these tests is not for the tests to decide.

#![cfg(unix)]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod from_a_clone;
mod from_a_folder;
mod machine;
#[path = "../plugin/staged_plugin.rs"]
mod staged_plugin;
#[expect(dead_code, reason = "these tests need only a part of it")]
#[path = "../provide/tiny_plugin.rs"]
mod tiny_plugin;
