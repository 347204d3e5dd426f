//! The pages of a run in the real Chromium: the report file, and the page of an active run.
//!
//! Other tests check contents and escaping. These check what needs a browser: visible charts, no
//! requests, harmless hostile text, keyboard and screen-reader access, and live updates.
//!
//! Runs with `-- --ignored`. Needs a Chromium named by `RALPH_TEST_CHROMIUM`, and the programs
//! built beside this test (`cargo build --workspace`). Fails without them.

#![cfg(unix)]
#![expect(clippy::panic, clippy::unwrap_used, reason = "a panic fails the test")]

mod child;
mod chromium;
mod devtools;
mod harness;
mod hostile;
mod live;
mod long;
mod project;
mod questions;
mod reach;
mod report;
mod tab;
