//! The guard as Claude Code runs it: the real program, real git repositories.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails where it stands"
)]

mod answers;
mod belonging;
mod blocks;
mod harness;
mod hostile;
mod rules;
mod tree;
mod verdict;
