//! The three kinds of iteration.

use std::fmt;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Writes a story and submits it.
    Implement,
    /// Judges a submitted story in a fresh context.
    Review,
    /// Fixes the points of the review feedback and submits again.
    ReviewFix,
}

impl Mode {
    pub const ALL: [Self; 3] = [Self::Implement, Self::Review, Self::ReviewFix];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Implement => "implement",
            Self::Review => "review",
            Self::ReviewFix => "review-fix",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
