//! A word, number, string or mark of source code. Comments and white space are none.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Word,
    Number,
    /// A string of any kind; its text is what is between the quotes.
    Text,
    /// Punctuation: one character, or one of the operators of two or three.
    Mark,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    pub(crate) text: &'a str,
    /// Where its text is in the file.
    pub(crate) from: usize,
    /// How far the line is indented that this is the first token of.
    pub(crate) begins: Option<usize>,
}

impl Token<'_> {
    pub(crate) fn is_mark(&self, text: &str) -> bool {
        self.kind == Kind::Mark && self.text == text
    }

    pub(crate) fn is_word(&self, text: &str) -> bool {
        self.kind == Kind::Word && self.text == text
    }

    pub(crate) fn is_literal(&self) -> bool {
        matches!(self.kind, Kind::Number | Kind::Text)
            || self.kind == Kind::Word
                && matches!(
                    self.text,
                    "true" | "True" | "false" | "False" | "nil" | "null" | "None"
                )
    }

    pub(crate) fn opens(&self) -> bool {
        self.kind == Kind::Mark && matches!(self.text, "(" | "[" | "{")
    }

    pub(crate) fn closes(&self) -> bool {
        self.kind == Kind::Mark && matches!(self.text, ")" | "]" | "}")
    }
}
