//! What a shell would do with a text, told without running any of it.
//!
//! Quotes are removed, variables and substitutions filled in as far as their values are in the text,
//! pipes, lists, groups, loops, functions and here-documents followed, and whatever hands a text to
//! another shell (`eval`, `sh -c`, `xargs`, a pipe, a script on disk) is read in turn. Pure, bounded in
//! time and depth, never panics. Not here: which of it is dangerous.

mod act;
mod expand;
mod interpret;
mod limits;
mod output;
mod parse;
mod reading;
mod scope;
mod syntax;
mod text;
mod word;

pub use act::{Act, Folder, Input, Mode, Redirect, RedirectKind, Repetition, Through};
pub use reading::{Multiplies, Reading, Recursion, Start, Unread, read};
pub use word::{Piece, Unknown, Word};
