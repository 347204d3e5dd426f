//! Markers that keep a test from running or from counting.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mark {
    Skipped,
    /// Skipped under a condition that is not evaluated here.
    MaybeSkipped,
    /// A failure counts as success.
    FailureExpected,
    /// Only this test runs.
    Alone,
    ReturnsEarly,
}

/// A marker and its source text.
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
