//! The relevant content of a test: assertions with their strictness, calls, loops.

use std::ops::Range;

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
    /// A hash of the code; `None` for an empty body.
    pub(crate) code: Option<u64>,
    pub(crate) sketch: Sketch,
}

/// Ordered by how much of the value the assertion determines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strictness {
    /// Holds for any code.
    AlwaysTrue,
    /// A value exists, or an operation succeeded.
    Vague,
    /// A part, a pattern, a bound, or an excluded value.
    Partial,
    /// Exactly one value.
    Exact,
}

#[derive(Debug, Clone)]
pub(crate) struct Assertion<'a> {
    /// The display name: `assert_eq!`, `toBe`, `assert … ==`.
    pub(crate) words: String,
    /// The source text.
    pub(crate) text: &'a str,
    /// `None` if the text does not show it, as with `t.Errorf`.
    pub(crate) strictness: Option<Strictness>,
    /// A hash of the text.
    pub(crate) fingerprint: u64,
    /// Its first token.
    pub(crate) at: usize,
    /// Where it ends. Nested assertions are part of it.
    pub(crate) end: usize,
}

impl<'a> Assertion<'a> {
    pub(crate) fn new(
        source: &Source<'a>,
        range: Range<usize>,
        words: impl Into<String>,
        strictness: Option<Strictness>,
    ) -> Self {
        Self {
            words: words.into(),
            text: source.text_of(range.clone()),
            strictness,
            fingerprint: source.fingerprint(range.clone()),
            at: range.start,
            end: range.end,
        }
    }
}

impl Body<'_> {
    pub(crate) fn set_code(&mut self, source: &Source<'_>, range: Range<usize>) {
        self.code = Some(source.fingerprint(range.clone()));
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
