//! The plugin's skills in the real Claude Code, with a scripted model.
//!
//! A scripted model cannot judge the text of a skill. These tests check that skills are offered,
//! what reaches the model, that their commands exist and are allowed, and that a plan made with
//! them is valid.
//!
//! Needs the same as the test `plugin`, and `ralph-loop`.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a panic fails the test")]

mod offered;
mod permitted;
mod planned;
mod project_state;
mod skill_test;
mod wording;

#[path = "../plugin/staged_plugin.rs"]
mod staged_plugin;
