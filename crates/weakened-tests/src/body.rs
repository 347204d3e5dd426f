//! The relevant content of a test: assertions, calls, loops.

use std::ops::Range;

use crate::assertion::Assertion;
use crate::mark::{Mark, Marked};
use crate::sketch::Sketch;
use crate::source::Source;

#[derive(Debug, Default)]
pub(crate) struct Body<'a> {
    pub(crate) assertions: Vec<Assertion<'a>>,
    /// Functions it calls by name; some of them may assert.
    pub(crate) calls: Vec<&'a str>,
    /// Code that fails a test without being an assertion, such as `unwrap`.
    pub(crate) implied: usize,
    /// Loops and lists of cases, in which one assertion counts for many.
    pub(crate) repeats: usize,
    pub(crate) content: Content,
    pub(crate) sketch: Sketch,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    #[default]
    Empty,
    /// A hash of the code.
    Code(u64),
}

impl Body<'_> {
    pub(crate) fn set_code(&mut self, source: &Source<'_>, range: Range<usize>) {
        self.content = Content::Code(source.fingerprint(range.clone()));
        self.sketch = Sketch::of(source.slice(range));
    }

    /// Whether `at` is inside an assertion. Each token belongs to at most one, which keeps the work
    /// linear at any nesting.
    pub(crate) fn asserts_at(&self, at: usize) -> bool {
        self.assertions.last().is_some_and(|last| at < last.end)
    }

    /// Removes assertions after an unconditional `return`. Returns a marker if none are left.
    pub(crate) fn cut_at(&mut self, returns: Option<usize>) -> Option<Marked> {
        let returns = returns?;
        let all = self.assertions.len();
        self.assertions.retain(|assertion| assertion.at < returns);
        (all > 0 && self.assertions.is_empty()).then(|| Marked::new(Mark::ReturnsEarly, "return"))
    }
}
