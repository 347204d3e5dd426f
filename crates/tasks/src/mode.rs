//! The kinds of iteration.

use serde::{Deserialize, Serialize};

use crate::ReviewStatus;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Mode {
    /// Writes a story and submits it.
    Implement,
    /// Judges a submitted story in a fresh context.
    Review,
    /// Fixes the points of the review feedback and submits again.
    ReviewFix,
    /// Writes the tests that prove a story, before the story is implemented.
    Specify,
}

impl Mode {
    pub const ALL: [Self; 4] = [Self::Implement, Self::Review, Self::ReviewFix, Self::Specify];

    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The review status of the story of such an iteration. After a dispute, the story of a specify
    /// iteration may have another one.
    pub(crate) fn starts_at(self) -> ReviewStatus {
        match self {
            Self::Implement | Self::Specify => ReviewStatus::NotSubmitted,
            Self::Review => ReviewStatus::NeedsReview,
            Self::ReviewFix => ReviewStatus::ChangesRequested,
        }
    }
}
