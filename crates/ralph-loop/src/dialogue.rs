//! The questions of `init`, `draft` and `run`: they fill in what the flags left open.
//!
//! Everything but [`Terminal`] is a function of what [`Talk`] hears. Nothing is written here: whoever
//! stops in the middle has changed nothing.

mod ask;
mod existing_settings;
mod questions;
mod rerun;
#[cfg(test)]
mod script;
mod silence;
mod talk;
mod terminal;

pub(crate) use existing_settings::overwrite;
pub(crate) use questions::{Surroundings, checks, complete, wants_commit, wants_trial};
pub(crate) use rerun::{Allowed, fresh_or_resume};
pub(crate) use silence::Silence;
pub(crate) use talk::Talk;
pub(crate) use terminal::Terminal;
