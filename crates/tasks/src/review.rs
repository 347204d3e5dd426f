//! The review status of a story, and the review policy.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Reviews of a story before the reviewer must approve.
pub const DEFAULT_REVIEW_CAP: u64 = 5;

/// `reviewStatus`; `null` in JSON means not submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, derive_more::Display)]
#[display("{}", serde_json::json!(self))]
pub enum ReviewStatus {
    NotSubmitted,
    NeedsReview,
    ChangesRequested,
    Approved,
}

impl ReviewStatus {
    pub const ALL: [Self; 4] =
        [Self::NotSubmitted, Self::NeedsReview, Self::ChangesRequested, Self::Approved];

    /// The JSON value; `None` is `null`.
    pub fn as_json(self) -> Option<&'static str> {
        match self {
            Self::NotSubmitted => None,
            Self::NeedsReview => Some("needs_review"),
            Self::ChangesRequested => Some("changes_requested"),
            Self::Approved => Some("approved"),
        }
    }

    pub fn from_json(value: Option<&str>) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_json() == value)
    }
}

impl Serialize for ReviewStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ReviewStatus {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Option::<String>::deserialize(deserializer)?;
        Self::from_json(value.as_deref())
            .ok_or_else(|| serde::de::Error::custom("not a review status"))
    }
}

/// Whether stories need a review, and the review cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewPolicy {
    Required { cap: u64 },
    Skipped,
}

impl Default for ReviewPolicy {
    fn default() -> Self {
        Self::Required { cap: DEFAULT_REVIEW_CAP }
    }
}
