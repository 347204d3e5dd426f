//! An assertion and its strictness.

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
