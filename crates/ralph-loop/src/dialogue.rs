//! The questions of `init`, `draft` and `run` for values that no flag gives.
//!
//! Everything but [`Terminal`] depends only on [`UserIo`]. Questions write no files, so a cancelled dialogue changes
//! nothing.

mod ask;
mod existing_settings;
mod questions;
mod rerun;
#[cfg(test)]
mod scripted_user;
mod terminal;

use std::io;

pub(crate) use existing_settings::overwrite;
pub(crate) use questions::{InitContext, checks, complete, wants_commit, wants_trial};
pub(crate) use rerun::{RunLimits, fresh_or_resume};
pub(crate) use terminal::Terminal;

/// The user's side of a dialogue.
pub(crate) trait UserIo {
    /// Prints text verbatim.
    fn say(&mut self, text: &str) -> Result<(), NoAnswer>;

    /// Reads one line, without its line break.
    fn ask(&mut self, question: &str) -> Result<String, NoAnswer>;
}

/// Why a question got no answer.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// Ctrl-C, Ctrl-D, or a terminal that is gone.
    End,
    /// The terminal cannot be read or written.
    Failed(io::Error),
}
