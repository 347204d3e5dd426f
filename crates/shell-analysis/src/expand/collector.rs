//! Joins expanded parts to words: splitting, quotes and patterns.

use std::borrow::Cow;

use crate::word::{Piece, Word};

/// Unquoted parts are split into words with patterns, kept with patterns, or kept as text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SplitMode {
    Fields,
    Pattern,
    Text,
}

pub(crate) struct Collector {
    pub(crate) want: SplitMode,
    pub(crate) ifs: Cow<'static, str>,
    pub(crate) done: Vec<Word>,
    /// The word under construction; `None` between words.
    pub(crate) current: Option<Word>,
    /// In double quotes.
    pub(crate) is_quoted: bool,
}

impl Collector {
    /// Adds unquoted characters.
    pub(crate) fn plain(&mut self, text: &str) {
        let word = self.current.get_or_insert_default();
        if self.want != SplitMode::Text && is_pattern(text) {
            word.push(Piece::Glob(text.to_owned()));
        } else {
            word.push_text(text);
        }
    }

    pub(crate) fn quoted(&mut self, text: &str) {
        self.current.get_or_insert_default().push_text(text);
    }

    pub(crate) fn exact(&mut self, value: Word) {
        self.current.get_or_insert_default().append(value);
    }

    /// Adds the value of a variable or the output of a command.
    pub(crate) fn value(&mut self, value: Word) {
        if self.is_quoted {
            return self.exact(value);
        }
        for piece in value.pieces {
            match piece {
                Piece::Text(text) if self.want == SplitMode::Fields => self.split(&text),
                Piece::Text(text) => self.plain(&text),
                piece => self.current.get_or_insert_default().push(piece),
            }
        }
    }

    /// Separates two values of a list.
    pub(crate) fn between(&mut self) {
        match self.want {
            SplitMode::Fields => self.done.extend(self.current.take()),
            SplitMode::Pattern | SplitMode::Text => self.quoted(" "),
        }
    }

    /// Blanks and other separators count the same: there are no empty words between them.
    fn split(&mut self, text: &str) {
        let ifs = self.ifs.clone();
        for (at, field) in text.split(|c| ifs.contains(c)).enumerate() {
            if at > 0 {
                self.between();
            }
            if !field.is_empty() {
                self.plain(field);
            }
        }
    }
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '('])
        || text.split_once('[').is_some_and(|(_, rest)| rest.contains(']'))
}
