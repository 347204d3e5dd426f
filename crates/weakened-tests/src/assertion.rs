//! One assertion, and how much it claims.

/// The more of the value an assertion fixes, the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strictness {
    /// Holds whatever the code does.
    AlwaysTrue,
    /// Something is there, something went well.
    Vague,
    /// A part, a pattern, a bound, what it is not.
    Partial,
    /// One value and no other.
    Exact,
}

#[derive(Debug, Clone)]
pub(crate) struct Assertion<'a> {
    /// As a person calls it: `assert_eq!`, `toBe`, `assert … ==`.
    pub(crate) words: String,
    /// As it is written.
    pub(crate) text: &'a str,
    /// `None` where the text does not tell, as with `t.Errorf`.
    pub(crate) strictness: Option<Strictness>,
    /// Equal for assertions of equal text.
    pub(crate) print: u64,
    /// Its first token.
    pub(crate) at: usize,
    /// Where it ends. What is asserted inside is part of it.
    pub(crate) end: usize,
}
