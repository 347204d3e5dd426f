//! What a test does, as far as it matters here: what it asserts, what it calls, whether it repeats.

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
    /// What fails a test without being an assertion, such as `unwrap`.
    pub(crate) implied: usize,
    /// Loops and lists of cases: one assertion in them stands for many.
    pub(crate) repeats: usize,
    pub(crate) content: Content,
    pub(crate) sketch: Sketch,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    #[default]
    Empty,
    /// Equal for equal code.
    Code(u64),
}

impl Body<'_> {
    pub(crate) fn set_code(&mut self, source: &Source<'_>, range: Range<usize>) {
        self.content = Content::Code(source.print(range.clone()));
        self.sketch = Sketch::of(source.slice(range));
    }

    /// Whether this place is inside an assertion already. Each token is part of one at most, which
    /// keeps the work linear however deep they are nested.
    pub(crate) fn asserts_at(&self, at: usize) -> bool {
        self.assertions.last().is_some_and(|last| at < last.end)
    }

    /// Assertions behind a `return` that always happens are no assertions. Tells if none are left.
    pub(crate) fn cut_at(&mut self, returns: Option<usize>) -> Option<Marked> {
        let returns = returns?;
        let all = self.assertions.len();
        self.assertions.retain(|assertion| assertion.at < returns);
        (all > 0 && self.assertions.is_empty()).then(|| Marked::new(Mark::ReturnsEarly, "return"))
    }
}
