//! Code of other languages inside a command: what it would run, and what it would do to files, told from
//! its strings and calls. A reading of words, not of the language.

mod calls;
mod harms;
mod interpreter;
mod literals;
mod names;
mod paths;

pub(crate) use calls::conduct;
pub(crate) use harms::is_endless;
pub(crate) use interpreter::{CodeFrom, OTHER_SHELLS, SHELLS, code_from, is_shell};
