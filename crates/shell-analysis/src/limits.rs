//! How much is looked at, so that no text can keep a reader busy.

/// Linux hands no program a longer argument, so no shell is given a longer text.
pub(crate) const TEXT_BYTES: usize = 128 * 1024;
/// The longest script that is read from disk.
pub(crate) const SCRIPT_BYTES: usize = 256 * 1024;
pub(crate) const ACTS: usize = 5_000;
/// Steps, and characters that are read or produced; each takes some nanoseconds.
pub(crate) const FUEL: usize = 1_500_000;
/// What one more act costs.
pub(crate) const ACT_COST: usize = 100;
/// What one more variable costs where all of them are copied.
pub(crate) const COPY_COST: usize = 3;
/// What one more part of a word costs, besides its characters.
pub(crate) const PIECE_COST: usize = 12;
/// Brackets, quotes and compound commands inside each other.
pub(crate) const SYNTAX_DEPTH: usize = 64;
/// Commands and words of one text.
pub(crate) const NODES: usize = 16_000;
/// Shells, wrappers, functions and compound commands inside each other.
pub(crate) const RUN_DEPTH: usize = 96;
/// Rounds of a loop over known items.
pub(crate) const ROUNDS: usize = 64;
/// Values that a variable may have, one from each branch.
pub(crate) const CANDIDATES: usize = 4;
