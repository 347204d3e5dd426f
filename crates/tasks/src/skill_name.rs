//! Skill names: a file name without extension that cannot leave its folder.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

/// `[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}`, checked on construction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct SkillName(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a skill's name has 1 to 64 characters out of A-Z a-z 0-9 . _ - and no leading dot")]
pub struct InvalidSkillName;

impl SkillName {
    pub const MAX_LENGTH: usize = 64;

    pub fn new(text: impl Into<String>) -> Result<Self, InvalidSkillName> {
        let text = text.into();
        let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
        let fits = (1..=Self::MAX_LENGTH).contains(&text.len());
        if fits && text.bytes().all(allowed) && !text.starts_with('.') {
            Ok(Self(text))
        } else {
            Err(InvalidSkillName)
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SkillName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_are_accepted() {
        for name in ["testing", "api-design", "rust_2024", "v1.2", "-", &"x".repeat(64)] {
            assert!(SkillName::new(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn names_that_could_leave_the_folder_are_refused() {
        let long = "x".repeat(65);
        let names =
            ["", ".", "..", ".hidden", "../x", "a/b", "a\\b", "C:x", "a b", "a\n", "é", &long];
        for name in names {
            assert!(SkillName::new(name).is_err(), "{name:?}");
        }
    }
}
