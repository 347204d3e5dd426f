//! Analyzes what a shell would run for a text, without running it.
//!
//! It removes quotes and expands variables and substitutions with known values. It follows pipes, lists, groups,
//! loops, functions and here-documents. It also analyzes text that is passed to another shell (`eval`, `sh -c`,
//! `xargs`, a pipe, a script on disk). Pure, bounded in time and depth, never panics. It does not judge danger.

mod analysis;
mod arguments;
mod expand;
mod interpret;
mod invocation;
mod limits;
mod output;
mod parse;
mod scope;
mod shell;
mod syntax;
mod text;
mod word;

pub use analysis::{Analysis, InitialState, Recursion, Unanalyzed};
pub use arguments::Arguments;
pub use expand::pattern::glob;
pub use interpret::analyze;
pub use invocation::{Input, Invocation, Launcher, Mode, Redirect, RedirectKind, Repetition};
pub use parse::ansi::{EscapeSet, unescape};
pub use shell::normal;
pub use word::{Piece, Unknown, Word};
