//! Runs the real frameworks, in a small project each: what passes, fails, is missing, is broken or
//! ends early is recognised as such, and a canary finds product code that switches assertions off.
//!
//! Tests that need a tool are ignored. To run them: `cargo test -p proof --test real -- --ignored`,
//! with `NODE_MODULES` set to a folder that has jest, vitest
//! and mocha.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a panic fails the test")]

mod cargo;
mod go;
mod javascript;
mod jvm;
mod others;
mod project;
mod python;
