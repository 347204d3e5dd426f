//! A SHA-256 digest, serialized as 64 hex digits.

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, derive_more::Display)]
#[display("{}", HEXLOWER.encode_display(_0))]
#[serde(from = "String")]
pub struct Sha256Digest([u8; 32]);

impl Sha256Digest {
    /// Stands for invalid hex: it matches no real digest.
    const INVALID: Self = Self([0; 32]);

    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    pub fn from_hex(text: &str) -> Self {
        let mut digest = [0; 32];
        let is_digest = text.len() == 2 * digest.len()
            && HEXLOWER_PERMISSIVE.decode_mut(text.as_bytes(), &mut digest).is_ok();
        if is_digest { Self(digest) } else { Self::INVALID }
    }

    /// A prefix for messages.
    pub fn short(&self) -> String {
        let mut hex = self.to_string();
        hex.truncate(12);
        hex
    }
}

impl Serialize for Sha256Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<String> for Sha256Digest {
    fn from(text: String) -> Self {
        Self::from_hex(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn matches_the_published_test_vector() {
        assert_eq!(Sha256Digest::of("abc").to_string(), ABC);
        assert_eq!(Sha256Digest::of("abc").short(), "ba7816bf8f01");
    }

    #[test]
    fn hex_is_read_in_either_case_and_anything_else_matches_nothing() {
        assert_eq!(Sha256Digest::from_hex(ABC), Sha256Digest::of("abc"));
        assert_eq!(Sha256Digest::from_hex(&ABC.to_uppercase()), Sha256Digest::of("abc"));
        for text in
            ["", "abc", &ABC[1..], &format!("{ABC}0"), &ABC.replace('b', "g"), &"é".repeat(32)]
        {
            assert_eq!(Sha256Digest::from_hex(text), Sha256Digest::INVALID, "{text}");
        }
    }
}
