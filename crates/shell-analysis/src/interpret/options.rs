//! Separates the options of a program from its operands.

use crate::word::Word;

/// The options of a program that take a value.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Options {
    /// Letters, as in `-u root` and `-uroot`.
    pub(super) letters: &'static str,
    /// Long names without their dashes, as in `--user root` and `--user=root`.
    pub(super) names: &'static [&'static str],
}

impl Options {
    /// The number of leading words that are options and their values; `words` has no program.
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

    /// The number of words of this option; an unknown end is its value.
    fn width(self, word: &Word) -> usize {
        if word.text().is_some_and(|text| self.takes_next(&text)) { 2 } else { 1 }
    }

    /// Whether the next word is this option's value.
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

    /// The value of an option before the operands.
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

    /// Whether a flag is given, alone or combined with others.
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

/// Removes the first bytes of a word's known start.
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
