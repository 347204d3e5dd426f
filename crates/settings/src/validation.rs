//! Which guardrails must pass, and their kinds.

use crate::words::words;

words! {
    /// Which guardrails must pass for a story to count.
    pub enum Validation {
        Strict = "strict",
        Lenient = "lenient",
        TestsOnly = "testsOnly",
    }
    expected "\"strict\", \"lenient\" or \"testsOnly\""
}

words! {
    /// The kind of a guardrail.
    pub enum GuardrailKind {
        Test = "test",
        Lint = "lint",
        Build = "build",
        Other = "other",
    }
    expected "\"test\", \"lint\", \"build\" or \"other\""
}

impl GuardrailKind {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

#[expect(clippy::derivable_impls, reason = "the macro makes the type")]
impl Default for GuardrailKind {
    fn default() -> Self {
        Self::Test
    }
}
