//! A word, number, string or punctuation mark of source code, without comments and whitespace.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum TokenKind {
    Word,
    Number,
    /// Any string; its text is between the quotes.
    Text,
    /// One character, or an operator of two or three.
    Mark,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'a str,
    /// The offset of its text in the file.
    pub(crate) from: usize,
    /// The indentation of the line, if this is its first token.
    pub(crate) begins: Option<usize>,
}

impl Token<'_> {
    pub(crate) fn is_mark(&self, text: &str) -> bool {
        self.kind == TokenKind::Mark && self.text == text
    }

    pub(crate) fn is_word(&self, text: &str) -> bool {
        self.kind == TokenKind::Word && self.text == text
    }

    pub(crate) fn is_literal(&self) -> bool {
        matches!(self.kind, TokenKind::Number | TokenKind::Text)
            || self.kind == TokenKind::Word
                && matches!(
                    self.text,
                    "true" | "True" | "false" | "False" | "nil" | "null" | "None"
                )
    }

    pub(crate) fn opens(&self) -> bool {
        self.kind == TokenKind::Mark && matches!(self.text, "(" | "[" | "{")
    }

    pub(crate) fn closes(&self) -> bool {
        self.kind == TokenKind::Mark && matches!(self.text, ")" | "]" | "}")
    }
}
