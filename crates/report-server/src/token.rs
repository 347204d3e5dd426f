//! The secret token that gives access to the page.

use std::fmt;

use constant_time_eq::constant_time_eq;
use data_encoding::HEXLOWER;

/// 256 bits.
const RANDOM_BYTES: usize = 32;

/// Long enough against guessing, short enough for a link.
const SHORTEST: usize = 32;
const LONGEST: usize = 256;

#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    pub fn random() -> Result<Self, String> {
        let mut bytes = [0; RANDOM_BYTES];
        getrandom::fill(&mut bytes)
            .map_err(|error| format!("cannot get random bytes from the system: {error}"))?;
        Ok(Self(HEXLOWER.encode(&bytes)))
    }

    /// A token chosen by the user, which needs no escaping in a link, header or cookie.
    pub fn chosen(text: &str) -> Result<Self, String> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let fits = (SHORTEST..=LONGEST).contains(&text.len()) && text.bytes().all(is_plain);
        fits.then(|| Self(text.to_owned())).ok_or_else(|| {
            format!("a token has {SHORTEST} to {LONGEST} letters, digits, - or _ (try `openssl rand -hex 32`)")
        })
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Compares in constant time.
    pub(crate) fn is(&self, given: &[u8]) -> bool {
        constant_time_eq(self.0.as_bytes(), given)
    }
}

/// Keeps the secret out of logs.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_tokens_have_256_bits_and_differ() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.as_str().len(), 64);
        assert!(Token::chosen(one.as_str()).unwrap().is(one.as_str().as_bytes()));
    }

    #[test]
    fn only_the_complete_token_matches() {
        let token = Token::random().unwrap();
        let text = token.as_str();
        for wrong in ["", "x", &text[1..], &text[..63], &format!("{text} "), &"0".repeat(64)] {
            assert!(!token.is(wrong.as_bytes()), "{wrong}");
        }
    }

    #[test]
    fn a_chosen_token_is_long_and_needs_no_escaping() {
        assert!(Token::chosen(&"a-Z_9".repeat(8)).is_ok());
        for unfit in
            ["", "secret", &"a".repeat(31), &"a".repeat(257), &"a b".repeat(20), &"é;".repeat(20)]
        {
            assert!(Token::chosen(unfit).is_err(), "{unfit}");
        }
    }

    #[test]
    fn debug_does_not_show_the_token() {
        assert_eq!(format!("{:?}", Token::chosen(&"s".repeat(40)).unwrap()), "Token(…)");
    }
}
