//! Names of objects: full hashes, never branch names, ranges or options. Computes them from content
//! as git does, to verify objects.

use data_encoding::HEXLOWER;
use derive_more::Display;
use serde::{Deserialize, Serialize};
use sha1_checked::Sha1;
use sha2::{Digest as _, Sha256};

#[derive(Debug, Clone, PartialEq, Eq, Display, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct CommitId(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not the hash of a commit")]
pub struct InvalidCommitId;

/// The hash of a tree. Commits with equal trees have equal files.
#[derive(Debug, Clone, PartialEq, Eq, Display)]
pub struct TreeId(pub(crate) String);

/// The hash of a blob.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Display)]
pub struct BlobId(pub(crate) String);

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

impl TreeId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Incremental computation.
#[derive(Debug)]
pub(crate) enum ObjectName {
    Sha1(Box<Sha1>),
    Sha256(Sha256),
}

impl ObjectName {
    /// For an object of this type and size; `like` is any id of the repository.
    pub(crate) fn of(kind: &str, bytes: u64, like: &str) -> Self {
        let mut name = match like.len() {
            64 => Self::Sha256(Sha256::new()),
            _ => Self::Sha1(Box::default()),
        };
        name.update(format!("{kind} {bytes}\0").as_bytes());
        name
    }

    pub(crate) fn of_blob(content: &[u8], like: &str) -> Option<String> {
        let mut name = Self::of("blob", content.len() as u64, like);
        name.update(content);
        name.finish()
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha1(sha1) => sha1_checked::Digest::update(&mut **sha1, bytes),
            Self::Sha256(sha256) => sha256.update(bytes),
        }
    }

    /// `None` if the content is a SHA-1 collision attack.
    pub(crate) fn finish(self) -> Option<String> {
        match self {
            Self::Sha1(sha1) => {
                let result = sha1.try_finalize();
                (!result.has_collision()).then(|| HEXLOWER.encode(result.hash().as_slice()))
            }
            Self::Sha256(sha256) => Some(HEXLOWER.encode(&sha256.finalize())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_match_those_of_git() {
        let empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
        assert_eq!(ObjectName::of_blob(b"", empty).as_deref(), Some(empty));
        let long = "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813";
        assert_eq!(ObjectName::of_blob(b"", long).as_deref(), Some(long));
        let mut pieces = ObjectName::of("blob", 6, empty);
        pieces.update(b"hel");
        pieces.update(b"lo\n");
        assert_eq!(pieces.finish().as_deref(), Some("ce013625030ba8dba906f756967f9e9ca394464a"));
    }

    #[test]
    fn only_hashes_are_commits() {
        assert!(CommitId::new("0123abcdef").is_ok());
        for text in ["", "HEAD", "main", "--output=x", "abc", "abcdefg", "abcdef1..abcdef2"] {
            assert!(CommitId::new(text).is_err(), "{text}");
        }
    }
}
