//! Shared parts of the scanners: position and tokens.
//!
//! Every step moves forward, so a scan takes one pass.

use crate::source::Source;
use crate::token::{Token, TokenKind};

/// Relevant operators, longest first.
const OPERATORS: [&str; 12] =
    ["===", "!==", "==", "!=", "=>", "<=", ">=", "&&", "||", "->", "::", ":="];

#[derive(Debug)]
pub(crate) struct Scan<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
    pub(crate) tokens: Vec<Token<'a>>,
    comments: Vec<&'a str>,
    begins: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StringKind {
    /// The end of the line ends it too, so that a stray quote affects one line only.
    OneLine,
    Multiline,
    /// Multiline and without escapes.
    Raw,
}

/// Calls `token` at the first character of each token, which it must consume.
pub(crate) fn scan<'a>(text: &'a str, mut token: impl FnMut(&mut Scan<'a>, char)) -> Source<'a> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut scan = Scan { text, at: 0, tokens: Vec::new(), comments: Vec::new(), begins: Some(0) };
    loop {
        scan.white_space();
        let Some(c) = scan.peek() else { break };
        token(&mut scan, c);
    }
    Source::new(text, scan.tokens, scan.comments)
}

impl<'a> Scan<'a> {
    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn starts(&self, what: &str) -> bool {
        self.rest().starts_with(what)
    }

    pub(crate) fn previous(&self) -> Option<char> {
        self.text.get(..self.at)?.chars().next_back()
    }

    /// Skips whitespace. Records the indentation of a new line.
    pub(crate) fn white_space(&mut self) {
        while let Some(c) = self.peek().filter(|c| c.is_whitespace()) {
            self.at += c.len_utf8();
            match (c, self.begins) {
                ('\n', _) => self.begins = Some(0),
                ('\t', Some(indent)) => self.begins = Some((indent / 8 + 1) * 8),
                (_, Some(indent)) => self.begins = Some(indent + 1),
                _ => {}
            }
        }
    }

    /// Marks a continuation: the next token does not begin a line.
    pub(crate) fn continue_line(&mut self) {
        self.begins = None;
    }

    pub(crate) fn line_comment(&mut self) {
        let rest = self.rest();
        self.comment_of(rest.find('\n').unwrap_or(rest.len()));
    }

    /// From here to the end of `closing`, or of the text.
    pub(crate) fn comment_until(&mut self, opening: &str, closing: &str) {
        let rest = self.rest();
        let inside = rest.get(opening.len()..).unwrap_or_default();
        let length =
            inside.find(closing).map_or(rest.len(), |found| opening.len() + found + closing.len());
        self.comment_of(length);
    }

    pub(crate) fn comment_of(&mut self, length: usize) {
        self.comments.push(self.rest().get(..length).unwrap_or_default());
        self.at += length;
    }

    pub(crate) fn push(&mut self, kind: TokenKind, text: &'a str) {
        let from = (text.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        self.tokens.push(Token { kind, text, from, begins: self.begins.take() });
    }

    /// A word that may also contain the characters `also`.
    pub(crate) fn word(&mut self, also: char) -> Option<&'a str> {
        let rest = self.rest();
        let letter = |c: char| c == '_' || c == also || c.is_alphanumeric();
        let end = rest.find(|c| !letter(c)).unwrap_or(rest.len());
        let first = rest.chars().next()?;
        if end == 0 || first.is_numeric() {
            return None;
        }
        self.at += end;
        rest.get(..end)
    }

    pub(crate) fn number(&mut self) -> bool {
        let rest = self.rest();
        if !rest.starts_with(char::is_numeric) {
            return false;
        }
        let mut end = 0;
        let mut chars = rest.chars().peekable();
        while let Some(c) = chars.next() {
            let point = c == '.' && chars.peek().is_some_and(char::is_ascii_digit);
            if !point && c != '_' && !c.is_alphanumeric() {
                break;
            }
            end += c.len_utf8();
        }
        self.push(TokenKind::Number, rest.get(..end).unwrap_or_default());
        self.at += end;
        true
    }

    pub(crate) fn word_number_or_mark(&mut self, also: char) {
        if let Some(word) = self.word(also) {
            self.push(TokenKind::Word, word);
        } else if !self.number() {
            self.mark();
        }
    }

    pub(crate) fn mark(&mut self) {
        let rest = self.rest();
        let length = OPERATORS
            .iter()
            .find(|operator| rest.starts_with(**operator))
            .map(|operator| operator.len())
            .or_else(|| self.peek().map(char::len_utf8))
            .unwrap_or(0);
        self.push(TokenKind::Mark, rest.get(..length).unwrap_or_default());
        self.at += length;
    }

    /// A string that begins here with `opening`.
    pub(crate) fn string(&mut self, opening: &str, closing: &str, kind: StringKind) {
        self.at += opening.len();
        let rest = self.rest();
        let (length, closed) = length_of_string(rest, closing, kind);
        self.push(TokenKind::Text, rest.get(..length).unwrap_or_default());
        self.at += length + if closed { closing.len() } else { 0 };
    }
}

fn length_of_string(rest: &str, closing: &str, kind: StringKind) -> (usize, bool) {
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        if rest.get(at..).is_some_and(|here| here.starts_with(closing)) {
            return (at, true);
        }
        match c {
            '\\' if kind != StringKind::Raw => drop(chars.next()),
            '\n' if kind == StringKind::OneLine => return (at, false),
            _ => {}
        }
    }
    (rest.len(), false)
}
