//! Code of other languages in a command: the commands that it runs and its effects on files, derived from its
//! strings and calls without parsing the language.

mod calls;
mod harms;
mod interpreter;
mod literals;
mod names;
mod paths;

pub(crate) use calls::code_effects;
pub(crate) use harms::is_endless;
pub(crate) use interpreter::{CodeFrom, OTHER_SHELLS, SHELLS, code_from, is_shell};
