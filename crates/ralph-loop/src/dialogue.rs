//! The questions of `init`, `draft` and `run` for values that no flag gives.
//!
//! Everything but [`Terminal`] depends only on [`UserIo`]. Questions write no files, so a cancelled dialogue changes
//! nothing.

mod ask;
mod existing_settings;
mod no_answer;
mod questions;
mod rerun;
#[cfg(test)]
mod scripted_user;
mod terminal;
mod user_io;

pub(crate) use existing_settings::overwrite;
pub(crate) use no_answer::NoAnswer;
pub(crate) use questions::{InitContext, checks, complete, wants_commit, wants_trial};
pub(crate) use rerun::{RunLimits, fresh_or_resume};
pub(crate) use terminal::Terminal;
pub(crate) use user_io::UserIo;
