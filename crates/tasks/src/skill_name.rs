//! Skill names: a file name without extension that cannot leave its folder.

use serde::Serialize;

use crate::StoryId;

/// `[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}`, checked on construction: a story id without a leading dot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, derive_more::Display)]
pub struct SkillName(StoryId);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a skill's name has 1 to 64 characters out of A-Z a-z 0-9 . _ - and no leading dot")]
pub struct InvalidSkillName;

impl SkillName {
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidSkillName> {
        let name = StoryId::new(text).ok().filter(|name| !name.as_str().starts_with('.'));
        name.map(Self).ok_or(InvalidSkillName)
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
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
