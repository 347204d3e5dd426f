//! Tokens of a source file with matched brackets.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::token::{Token, TokenKind};

#[derive(Debug, Default)]
pub(crate) struct Source<'a> {
    text: &'a str,
    pub(crate) tokens: Vec<Token<'a>>,
    pub(crate) comments: Vec<&'a str>,
    partner: Vec<usize>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(text: &'a str, tokens: Vec<Token<'a>>, comments: Vec<&'a str>) -> Self {
        let partner = partners(&tokens);
        Self { text, tokens, comments, partner }
    }

    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(crate) fn get(&self, at: usize) -> Option<&Token<'a>> {
        self.tokens.get(at)
    }

    /// The tokens of `range`, clipped to the file.
    pub(crate) fn slice(&self, range: Range<usize>) -> &[Token<'a>] {
        let end = range.end.min(self.len());
        self.tokens.get(range.start.min(end)..end).unwrap_or_default()
    }

    pub(crate) fn is_mark(&self, at: usize, text: &str) -> bool {
        self.get(at).is_some_and(|token| token.is_mark(text))
    }

    pub(crate) fn is_word(&self, at: usize, text: &str) -> bool {
        self.get(at).is_some_and(|token| token.is_word(text))
    }

    pub(crate) fn word(&self, at: usize) -> Option<&'a str> {
        self.get(at).filter(|token| token.kind == TokenKind::Word).map(|token| token.text)
    }

    pub(crate) fn follows(&self, at: usize, text: &str) -> bool {
        at.checked_sub(1).is_some_and(|before| self.is_mark(before, text))
    }

    /// The place before the dot before `at`, where the receiver of a method is.
    pub(crate) fn receiver(&self, at: usize) -> Option<usize> {
        at.checked_sub(2).filter(|_| self.follows(at, "."))
    }

    pub(crate) fn receiver_name(&self, at: usize) -> Option<&'a str> {
        self.receiver(at).and_then(|receiver| self.word(receiver))
    }

    /// The closing bracket of `at`, or the end of the file.
    pub(crate) fn close(&self, at: usize) -> usize {
        self.partner.get(at).copied().unwrap_or(self.len())
    }

    /// The range between the bracket at `at` and its partner.
    pub(crate) fn inside(&self, at: usize) -> Range<usize> {
        at + 1..self.close(at).max(at + 1)
    }

    /// The source text of `range`.
    pub(crate) fn text_of(&self, range: Range<usize>) -> &'a str {
        let tokens = self.slice(range);
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return "" };
        let end = last.from + last.text.len();
        let quote = self.text.get(end..).is_some_and(|rest| rest.starts_with(['"', '\'', '`']));
        let end = end + usize::from(quote && last.kind == TokenKind::Text);
        self.text.get(first.from..end).unwrap_or_default()
    }

    /// A hash that ignores layout.
    pub(crate) fn fingerprint(&self, range: Range<usize>) -> u64 {
        let mut hasher = DefaultHasher::new();
        let tokens = self.slice(range);
        for (at, token) in tokens.iter().enumerate() {
            let last = tokens.get(at + 1).is_none_or(Token::closes);
            // Formatters add a comma after the last of several lines.
            if !(token.is_mark(",") && last) {
                (token.kind, token.text).hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    /// The parts of `range` between top-level commas.
    pub(crate) fn arguments(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let (mut parts, mut start, mut at) = (Vec::new(), range.start, range.start);
        let end = range.end.min(self.len());
        while at < end {
            if self.is_mark(at, ",") {
                parts.push(start..at);
                start = at + 1;
            }
            at = self.after(at);
        }
        if start < end {
            parts.push(start..end);
        }
        parts
    }

    /// The end of the statement at `at`: a semicolon, or a new line that does not begin with a dot.
    pub(crate) fn statement_end(&self, at: usize) -> usize {
        let mut at = at + 1;
        while let Some(token) = self.get(at) {
            if token.is_mark(";") || token.closes() || token.begins.is_some() && !token.is_mark(".")
            {
                break;
            }
            at = self.after(at);
        }
        at
    }

    /// The next token outside a bracket opened here.
    pub(crate) fn after(&self, at: usize) -> usize {
        match self.get(at) {
            Some(token) if token.opens() => self.close(at).max(at) + 1,
            _ => at + 1,
        }
    }
}

/// A mismatched closing bracket closes what was left open inside; an unmatched one is ignored.
/// Linear.
fn partners(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut partner = vec![tokens.len(); tokens.len()];
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut waiting = [0_usize; 3];
    for (at, token) in tokens.iter().enumerate() {
        if token.opens() {
            open.push((at, sort(token.text)));
            waiting[sort(token.text)] += 1;
        } else if token.closes() && waiting[sort(token.text)] > 0 {
            while let Some((opened, sort_opened)) = open.pop() {
                waiting[sort_opened] -= 1;
                partner[opened] = at;
                if sort_opened == sort(token.text) {
                    break;
                }
            }
        }
    }
    partner
}

fn sort(bracket: &str) -> usize {
    match bracket {
        "(" | ")" => 0,
        "[" | "]" => 1,
        _ => 2,
    }
}
