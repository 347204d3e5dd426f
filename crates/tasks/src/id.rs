//! Story ids, restricted to characters that need no escaping in messages and paths.

use serde::{Deserialize, Serialize};

/// `[A-Za-z0-9._-]{1,64}`, checked on construction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
#[derive(derive_more::Display)]
pub struct StoryId(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a story id has 1 to 64 characters out of A-Z a-z 0-9 . _ -")]
pub struct InvalidStoryId;

impl StoryId {
    pub const MAX_LENGTH: usize = 64;

    pub fn new(text: impl Into<String>) -> Result<Self, InvalidStoryId> {
        let text = text.into();
        let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
        if (1..=Self::MAX_LENGTH).contains(&text.len()) && text.bytes().all(allowed) {
            Ok(Self(text))
        } else {
            Err(InvalidStoryId)
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for StoryId {
    type Error = InvalidStoryId;

    fn try_from(text: String) -> Result<Self, InvalidStoryId> {
        Self::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_what_the_contract_names() {
        for id in ["US-001", "a", "A.b_c-9", &"x".repeat(64)] {
            assert!(StoryId::new(id).is_ok(), "{id}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for id in ["", " ", "US 1", "US/1", "US\u{0}1", "US\n1", "é", &"x".repeat(65)] {
            assert!(StoryId::new(id).is_err(), "{id:?}");
        }
    }
}
