//! The plugin's skills in the real Claude Code, with a scripted model.
//!
//! A scripted model cannot think, so what a skill says well or badly is not judged here. Shown is what
//! the skills rely on: that they are offered, what of them reaches the model, that the commands they
//! name exist and may run, and that a plan made their way is one that the loop takes.
//!
//! Needs what the test `plugin` needs, and `ralph-loop`.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod desk;
mod offered;
mod permitted;
mod planned;
mod told;
mod wording;

#[path = "../plugin/staged_plugin.rs"]
mod staged_plugin;
