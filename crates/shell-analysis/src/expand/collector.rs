//! Joins expanded parts to words: splitting, quotes and patterns.

use std::borrow::Cow;

use super::Quoting;
use crate::word::{Piece, Unknown, Word};

/// How unquoted parts are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SplitMode {
    /// Split into words, with patterns.
    Fields,
    /// With patterns.
    Pattern,
    /// As text.
    Text,
}

#[derive(Debug)]
pub(crate) struct Collector {
    want: SplitMode,
    ifs: Cow<'static, str>,
    done: Vec<Word>,
    /// The word under construction; `None` between words.
    current: Option<Word>,
}

impl Collector {
    pub(crate) fn new(want: SplitMode, ifs: Cow<'static, str>) -> Self {
        Self { want, ifs, done: Vec::new(), current: None }
    }

    pub(crate) fn finish(mut self) -> Vec<Word> {
        self.boundary();
        self.done
    }

    /// Adds unquoted characters.
    pub(crate) fn plain(&mut self, text: &str) {
        let want = self.want;
        let word = self.current.get_or_insert_default();
        if want == SplitMode::Text {
            word.push_text(text);
            return;
        }
        let Some((from, to)) = pattern_extent(text) else { return word.push_text(text) };
        word.push_text(&text[..from]);
        word.push(Piece::Glob(text[from..to].to_owned()));
        word.push_text(&text[to..]);
    }

    pub(crate) fn quoted(&mut self, text: &str) {
        self.current.get_or_insert_default().push_text(text);
    }

    pub(crate) fn unknown(&mut self, unknown: Unknown) {
        self.current.get_or_insert_default().push(Piece::Unknown(unknown));
    }

    /// Adds the value of a variable or the output of a command.
    pub(crate) fn value(&mut self, value: &Word, quoting: Quoting) {
        if quoting == Quoting::Quoted {
            self.quoted("");
        }
        for piece in &value.pieces {
            match piece {
                Piece::Text(text) if quoting == Quoting::Quoted => self.quoted(text),
                Piece::Text(text) if self.want == SplitMode::Fields => self.split(text),
                Piece::Text(text) => self.plain(text),
                piece => self.current.get_or_insert_default().push(piece.clone()),
            }
        }
    }

    /// Ends the word under construction, if any.
    pub(crate) fn boundary(&mut self) {
        if self.want == SplitMode::Fields {
            self.done.extend(self.current.take());
        } else if let Some(word) = self.current.take() {
            self.done.push(word);
        }
    }

    /// Separates two values of a list.
    pub(crate) fn between(&mut self) {
        if self.want == SplitMode::Fields {
            self.boundary();
        } else {
            self.quoted(" ");
        }
    }

    fn split(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.find(|c| self.ifs.contains(c)) {
            if at > 0 {
                self.plain(&rest[..at]);
            }
            let separator = rest[at..].chars().next().unwrap_or_default();
            // Separators other than blanks also produce empty words.
            if !separator.is_whitespace() && self.current.is_none() {
                self.quoted("");
            }
            self.boundary();
            rest = &rest[at + separator.len_utf8()..];
        }
        if !rest.is_empty() {
            self.plain(rest);
        }
    }
}

/// The start and end of the pattern in a text, if any.
fn pattern_extent(text: &str) -> Option<(usize, usize)> {
    let special = |c| matches!(c, '*' | '?' | '[' | '(');
    let from = text.find(special)?;
    let to = text.rfind(|c| special(c) || matches!(c, ']' | ')'))? + 1;
    let part = &text[from..to];
    let counts = part.contains(['*', '?']) || part.contains('(') || part.get(1..)?.contains(']');
    counts.then_some((from, to))
}
