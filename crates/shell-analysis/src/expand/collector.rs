//! Joins expanded parts to words: splitting, quotes and patterns.

use std::borrow::Cow;

use super::Quoting;
use crate::word::{Piece, Word};

/// Unquoted parts are split into words with patterns, kept with patterns, or kept as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SplitMode {
    Fields,
    Pattern,
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
        self.done.extend(self.current);
        self.done
    }

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

    /// Separates two values of a list.
    pub(crate) fn between(&mut self) {
        match self.want {
            SplitMode::Fields => self.done.extend(self.current.take()),
            SplitMode::Pattern | SplitMode::Text => self.quoted(" "),
        }
    }

    fn split(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.find(|c| self.ifs.contains(c)) {
            let (field, separated) = rest.split_at(at);
            let mut chars = separated.chars();
            // Separators other than blanks also produce empty words.
            let is_blank = chars.next().is_some_and(char::is_whitespace);
            if !field.is_empty() || !is_blank {
                self.plain(field);
            }
            self.between();
            rest = chars.as_str();
        }
        if !rest.is_empty() {
            self.plain(rest);
        }
    }
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '('])
        || text.split_once('[').is_some_and(|(_, rest)| rest.contains(']'))
}
