//! What keeps a test from running, or from counting.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mark {
    /// It does not run.
    Skipped,
    /// It does not run under a condition that nobody evaluates here.
    MaybeSkipped,
    /// It counts as passed when it fails.
    FailureExpected,
    /// It runs, and its neighbours do not.
    Alone,
    /// It returns before it asserts anything.
    ReturnsEarly,
}

/// A mark and the words that set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Marked {
    pub(crate) mark: Mark,
    pub(crate) words: String,
}

impl Marked {
    pub(crate) fn new(mark: Mark, words: impl Into<String>) -> Self {
        Self { mark, words: words.into() }
    }
}
