//! The pages of a run in the real Chromium: the report as a file, and the one that is served while a run goes on.
//!
//! What is on a page and how it is escaped is tested where it is made. Here is shown what only a browser knows:
//! that the charts can be seen, that nothing is asked of anybody, that hostile text stays text, that keyboard
//! and screen reader get everywhere, and that what happens in a run arrives.
//!
//! Runs with `-- --ignored`. Needs a Chromium named by `RALPH_TEST_CHROMIUM`, and the programs built beside
//! this test (`cargo build --workspace`). Without them it fails: whether to skip these tests is not for the
//! tests to decide.

#![cfg(unix)]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod child;
mod chromium;
mod devtools;
mod harness;
mod hostile;
mod live;
mod long;
mod project;
mod reach;
mod report;
mod tab;
