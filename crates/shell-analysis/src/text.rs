//! A text to parse as shell code, which may have holes: parts that are only known at run time.

use std::collections::BTreeMap;

use crate::word::{Piece, Unknown, Word};

/// The placeholder of a hole; elsewhere the character is literal.
const PLACE: char = '\u{fffc}';

#[derive(Debug, Default)]
pub(crate) struct Text {
    pub(crate) chars: Vec<char>,
    holes: BTreeMap<usize, Unknown>,
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

    pub(crate) fn push_hole(&mut self, unknown: Unknown) {
        self.holes.insert(self.chars.len(), unknown);
        self.chars.push(PLACE);
    }

    /// Appends the character or hole of another text.
    pub(crate) fn push_from(&mut self, other: &Self, at: usize) {
        match (other.hole(at), other.chars.get(at)) {
            (Some(unknown), _) => self.push_hole(unknown.clone()),
            (None, Some(c)) => self.chars.push(*c),
            (None, None) => {}
        }
    }

    pub(crate) fn hole(&self, at: usize) -> Option<&Unknown> {
        if self.chars.get(at) == Some(&PLACE) { self.holes.get(&at) } else { None }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self { chars: text.chars().collect(), holes: BTreeMap::new() }
    }
}
