//! A commit by its full hash, never a branch name, range or option.

use std::fmt;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CommitId(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not the hash of a commit")]
pub struct InvalidCommitId;

impl CommitId {
    pub fn new(text: &str) -> Result<Self, InvalidCommitId> {
        let is_hash = (7..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
        if is_hash { Ok(Self(text.to_owned())) } else { Err(InvalidCommitId) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for CommitId {
    type Error = InvalidCommitId;

    fn try_from(text: String) -> Result<Self, InvalidCommitId> {
        Self::new(&text)
    }
}

impl From<CommitId> for String {
    fn from(commit: CommitId) -> Self {
        commit.0
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hashes_are_commits() {
        assert!(CommitId::new("0123abcdef").is_ok());
        for text in ["", "HEAD", "main", "--output=x", "abc", "abcdefg", "abcdef1..abcdef2"] {
            assert!(CommitId::new(text).is_err(), "{text}");
        }
    }
}
