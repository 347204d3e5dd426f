//! Runs the real stop-guard program in real git repositories.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a panic fails the test")]

mod answers;
mod belonging;
mod blocks;
mod harness;
mod hostile;
mod rules;
mod specify;
mod tree;
mod verdict;
