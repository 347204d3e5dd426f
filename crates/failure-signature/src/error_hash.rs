//! A hash of eight hex digits that is stable for the same failure.

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::normalise::normalise;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
#[derive(derive_more::Display)]
pub struct ErrorHash(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an error hash has {DIGITS} lower-case hex digits")]
pub struct NotAHash;

const DIGITS: usize = 8;

impl ErrorHash {
    pub fn of(output: &str) -> Self {
        Self::of_normalised(&normalise(output))
    }

    /// Combines the hashes of several failures; a label, such as the command, identifies each. The
    /// order of the parts does not matter, their number does.
    pub fn combined<'a>(parts: impl IntoIterator<Item = (&'a str, &'a Self)>) -> Self {
        let mut digests: Vec<[u8; 32]> =
            parts.into_iter().map(|(label, hash)| part(label, hash)).collect();
        digests.sort_unstable();
        Self::shortened(&Sha256::digest(digests.concat()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn of_normalised(text: &str) -> Self {
        Self::shortened(&Sha256::digest(text))
    }

    fn shortened(digest: &[u8]) -> Self {
        Self(HEXLOWER.encode(&digest[..DIGITS / 2]))
    }
}

/// Hashed separately, so that labels cannot imitate other parts.
fn part(label: &str, hash: &ErrorHash) -> [u8; 32] {
    Sha256::digest(format!("{}{label}", hash.0)).into()
}

impl TryFrom<String> for ErrorHash {
    type Error = NotAHash;

    fn try_from(text: String) -> Result<Self, NotAHash> {
        let hex = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == DIGITS && text.bytes().all(hex) { Ok(Self(text)) } else { Err(NotAHash) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_text_also_has_eight_digits() {
        assert_eq!(ErrorHash::of("").as_str(), "e3b0c442");
        assert_eq!(ErrorHash::of("boom").to_string().len(), DIGITS);
    }

    #[test]
    fn parts_count_with_their_labels_in_any_order() {
        let (boom, bang) = (ErrorHash::of("boom"), ErrorHash::of("bang"));
        let (test, lint) = (("cargo test", &boom), ("cargo clippy", &bang));
        let both = ErrorHash::combined([test, lint]);
        assert_eq!(both, ErrorHash::combined([lint, test]));
        assert_ne!(both, ErrorHash::combined([("cargo test", &bang), ("cargo clippy", &boom)]));
        assert_ne!(both, ErrorHash::combined([test]));
        assert_ne!(ErrorHash::combined([test]), ErrorHash::combined([test, test]));
    }

    #[test]
    fn it_is_a_json_string_and_other_text_is_refused() {
        let hash = ErrorHash::of("boom");
        let json = serde_json::to_string(&hash).unwrap();
        assert_eq!(json, format!("\"{hash}\""));
        assert_eq!(serde_json::from_str::<ErrorHash>(&json).unwrap(), hash);
        for text in ["\"\"", "\"a3f2b7c\"", "\"A3F2B7C1\"", "\"a3f2b7c1d\"", "\"a3f2b7cg\""] {
            assert!(serde_json::from_str::<ErrorHash>(text).is_err(), "{text}");
        }
    }
}
