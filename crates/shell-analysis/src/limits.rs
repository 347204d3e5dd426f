//! The limits of the analysis.

/// Linux's limit for one argument, so no shell gets a longer text.
pub(crate) const TEXT_BYTES: usize = 128 * 1024;
/// Steps and processed characters; each takes some nanoseconds.
pub(crate) const FUEL: usize = 1_500_000;
/// The cost of a recorded command, which bounds their number.
pub(crate) const INVOCATION_COST: usize = 300;
/// The cost per variable when a scope is copied.
pub(crate) const COPY_COST: usize = 3;
/// The cost of a part of a word, besides its characters.
pub(crate) const PIECE_COST: usize = 12;
/// The nesting of brackets, quotes and compound commands.
pub(crate) const SYNTAX_DEPTH: usize = 64;
/// Commands and words of one text.
pub(crate) const NODES: usize = 16_000;
/// A command counts as many words, because it is run.
pub(crate) const COMMAND_NODES: usize = 6;
/// The nesting of shells, wrappers, functions and compound commands.
pub(crate) const RUN_DEPTH: usize = 96;
/// The words of a wrapper that may begin its command.
pub(crate) const ROUNDS: usize = 64;
/// The limit of Linux for a path.
pub(crate) const PATH_BYTES: usize = 4096;
