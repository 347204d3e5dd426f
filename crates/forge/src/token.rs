//! An access token, which is never shown.

use std::fmt;

#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// `None` for text that is no token: it becomes a header, so it must be visible ASCII.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    /// For the header of a request.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_word_and_never_shown() {
        let token = Token::new(" ghp_abc\n").unwrap();
        assert_eq!(token.expose(), "ghp_abc");
        assert_eq!(format!("{token} {token:?}"), "[redacted] [redacted]");
        for text in ["", " ", "a b", "a\nb", "é", "a\u{0}"] {
            assert_eq!(Token::new(text), None, "{text:?}");
        }
    }
}
