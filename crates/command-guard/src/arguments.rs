//! Options and operands of a program, under the names that the rules use, and the text of words.

use std::borrow::Cow;

pub(crate) use shell_analysis::Arguments;
use shell_analysis::{Piece, Word};

pub(crate) fn without_start(word: &Word, bytes: usize) -> Word {
    word.without_start(bytes)
}

/// As `Word::shown`, but a word that is known as a whole is not copied.
pub(crate) fn shown(word: &Word) -> Cow<'_, str> {
    match word.pieces.as_slice() {
        [Piece::Text(text) | Piece::Glob(text)] => Cow::Borrowed(text),
        _ => Cow::Owned(word.shown()),
    }
}
