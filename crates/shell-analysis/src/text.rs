//! A text to parse as shell code, which may have holes: parts that are only known at run time.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::word::{Piece, Unknown, Word};

#[derive(Default)]
pub(crate) struct Text {
    /// With a placeholder for each hole.
    pub(crate) chars: Vec<char>,
    pub(crate) holes: BTreeMap<usize, Unknown>,
}

impl Text {
    pub(crate) fn of_word(word: &Word) -> Self {
        let mut text = Self::default();
        for piece in &word.pieces {
            match piece {
                Piece::Text(part) | Piece::Glob(part) => text.chars.extend(part.chars()),
                Piece::Unknown(unknown) => text.push_hole(unknown.clone()),
            }
        }
        text
    }

    fn push_hole(&mut self, unknown: Unknown) {
        self.holes.insert(self.chars.len(), unknown);
        self.chars.push(char::REPLACEMENT_CHARACTER);
    }

    /// Appends a part of another text.
    pub(crate) fn extend_from(&mut self, other: &Self, part: Range<usize>) {
        match other.holes.range(part.clone()).next() {
            None => self.chars.extend(&other.chars[part]),
            Some(_) => part.for_each(|at| self.push_from(other, at)),
        }
    }

    /// Appends the character or hole of another text.
    pub(crate) fn push_from(&mut self, other: &Self, at: usize) {
        match other.holes.get(&at) {
            Some(unknown) => self.push_hole(unknown.clone()),
            None => self.chars.extend(other.chars.get(at)),
        }
    }
}
