//! Which guardrails have to pass, and of what kind one is.

use crate::words::words;

words! {
    /// Which guardrails have to pass for a story to count.
    pub enum Validation {
        Strict = "strict",
        Lenient = "lenient",
        TestsOnly = "testsOnly",
    }
    expected "\"strict\", \"lenient\" or \"testsOnly\""
}

words! {
    /// What a guardrail looks at.
    pub enum GuardrailKind {
        Test = "test",
        Lint = "lint",
        Build = "build",
        Other = "other",
    }
    expected "\"test\", \"lint\", \"build\" or \"other\""
}

impl GuardrailKind {
    /// As everything is that nobody called something else.
    pub(crate) fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

#[expect(clippy::derivable_impls, reason = "the macro makes the type")]
impl Default for GuardrailKind {
    fn default() -> Self {
        Self::Test
    }
}
