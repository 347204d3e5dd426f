//! Which arguments of a program are options, and where the rest begins.

use crate::word::Word;

/// Options of a program that take a value.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Options {
    /// Letters, as in `-u root` and `-uroot`.
    pub(super) letters: &'static str,
    /// Long names without their dashes, as in `--user root` and `--user=root`.
    pub(super) names: &'static [&'static str],
}

impl Options {
    /// How many of these words are options and their values; the first word is no longer the program.
    pub(super) fn count(self, words: &[Word]) -> usize {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let text = word.known_start();
            if text == "--" {
                return at + 1;
            }
            if !text.starts_with('-') || text == "-" {
                return at;
            }
            at += self.width(word);
        }
        words.len()
    }

    /// How many words this option takes; what is unknown at its end is its value.
    fn width(self, word: &Word) -> usize {
        if word.text().is_some_and(|text| self.takes_next(&text)) { 2 } else { 1 }
    }

    /// Whether the value of this option is the next word.
    fn takes_next(self, text: &str) -> bool {
        if let Some(name) = text.strip_prefix("--") {
            return self.names.contains(&name);
        }
        let letters = text.trim_start_matches('-');
        let first = letters.find(|c| self.letters.contains(c));
        first.is_some_and(|at| at + 1 == letters.len())
            || text
                .strip_prefix('-')
                .is_some_and(|name| name.len() > 1 && self.names.contains(&name))
    }

    /// The value of an option, wherever it stands before the rest.
    pub(super) fn value(self, words: &[Word], letter: char, name: &str) -> Option<Word> {
        let end = self.count(words);
        let mut at = 0;
        while at < end {
            let text = words[at].known_start();
            if let Some(long) = text.strip_prefix("--") {
                if long == name {
                    return words.get(at + 1).cloned();
                }
                if let Some(value) = long.strip_prefix(name).and_then(|rest| rest.strip_prefix('='))
                {
                    let length = text.len() - value.len();
                    return Some(without_start(&words[at], length));
                }
            } else if let Some(letters) = text.strip_prefix('-')
                && let Some(found) = letters.find(|c| c == letter || self.letters.contains(c))
                && letters[found..].starts_with(letter)
            {
                if found + 1 == letters.len() && words[at].text().is_some() {
                    return words.get(at + 1).cloned();
                }
                return Some(without_start(&words[at], found + 2));
            }
            at += self.width(&words[at]);
        }
        None
    }

    /// Whether a flag is given, alone or among others.
    pub(super) fn has(self, words: &[Word], letter: char, name: &str) -> bool {
        let end = self.count(words).min(words.len());
        let mut at = 0;
        while at < end {
            let text = words[at].known_start();
            let long = text.strip_prefix("--");
            let found = match long {
                Some(long) => long == name,
                None => text
                    .trim_start_matches('-')
                    .chars()
                    .take_while(|c| !self.letters.contains(*c) || *c == letter)
                    .any(|c| c == letter),
            };
            if found {
                return true;
            }
            at += self.width(&words[at]);
        }
        false
    }
}

/// A word without the first bytes of its known beginning.
pub(super) fn without_start(word: &Word, bytes: usize) -> Word {
    let mut left = bytes;
    let mut rest = Word::default();
    for piece in &word.pieces {
        match piece {
            crate::word::Piece::Text(text) | crate::word::Piece::Glob(text) if left > 0 => {
                let cut = left.min(text.len());
                left -= cut;
                rest.push_text(text.get(cut..).unwrap_or_default());
            }
            piece => rest.push(piece.clone()),
        }
    }
    rest
}
