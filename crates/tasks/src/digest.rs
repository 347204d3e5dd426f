//! A sha256 as it stands in JSON: 64 lower-case hex digits.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Sha256Hex(String);

impl Sha256Hex {
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self::from_raw(&Sha256::digest(bytes))
    }

    /// From text that claims to be one; compared as text, so a wrong one just never matches.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn from_raw(raw: &[u8]) -> Self {
        let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
        Self(raw.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect())
    }
}

impl fmt::Display for Sha256Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_sha256_everyone_else_computes() {
        assert_eq!(
            Sha256Hex::of("abc").as_str(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
