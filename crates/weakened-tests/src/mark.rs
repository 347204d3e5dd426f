//! Markers that keep a test from running or from counting.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
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

    /// The finding that `subject` has this marker now.
    pub(crate) fn finding(&self, subject: &str) -> String {
        let words = &self.words;
        match self.mark {
            Mark::Skipped => format!("{subject} is skipped now (`{words}`)"),
            Mark::MaybeSkipped => format!("{subject} may be skipped now (`{words}`)"),
            Mark::FailureExpected => format!("{subject} is expected to fail now (`{words}`)"),
            Mark::Alone => {
                format!("{subject} runs alone now (`{words}`): other tests do not run")
            }
            Mark::ReturnsEarly => format!("{subject} returns before its assertions now"),
        }
    }
}
