//! Tests of handoffs, levels of detail, compaction and budgets.

#![expect(clippy::unwrap_used, reason = "examples are made to be readable")]
#![expect(clippy::panic, reason = "an answer of another kind fails the test")]

mod budget;
mod compacted;
mod compaction;
mod examples;
mod extract;
mod fallback;
mod handoff;
mod levels;
mod properties;
mod schemas;
mod tokens;
