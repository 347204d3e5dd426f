//! Splits the words after a program into options and operands, as most programs do.

use shell_analysis::{Piece, Word};

#[derive(Debug, Default)]
pub(crate) struct Arguments {
    options: Vec<Choice>,
    pub(crate) operands: Vec<Word>,
}

#[derive(Debug)]
struct Choice {
    name: String,
    value: Option<Word>,
}

/// The minimum length of an abbreviated long option.
const SHORTEST: usize = 3;

impl Arguments {
    /// `valued` names the options that take a value; short ones by their letter.
    pub(crate) fn of(words: &[Word], valued: &[&str]) -> Self {
        let mut read = Self::default();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let start = word.known_start();
            match start.strip_prefix('-') {
                Some("-") if word.text().is_some() => {
                    read.operands.extend(rest.by_ref().cloned());
                }
                Some(long) if long.starts_with('-') => {
                    read.long(&long[1..], word, &mut rest, valued);
                }
                Some("") | None => read.operands.push(word.clone()),
                Some(letters) => read.short(letters, word, &mut rest, valued),
            }
        }
        read
    }

    fn long<'w>(
        &mut self,
        name: &str,
        word: &Word,
        rest: &mut impl Iterator<Item = &'w Word>,
        valued: &[&str],
    ) {
        let (name, value) = match name.split_once('=') {
            Some((name, _)) => (name, Some(without_start(word, name.len() + 3))),
            None if valued.contains(&name) => (name, rest.next().cloned()),
            None => (name, None),
        };
        self.options.push(Choice { name: name.to_owned(), value });
    }

    /// One word of single letters, or a long name after a single dash. Both are possible, so it counts as both.
    fn short<'w>(
        &mut self,
        letters: &str,
        word: &Word,
        rest: &mut impl Iterator<Item = &'w Word>,
        valued: &[&str],
    ) {
        if letters.len() > 1 {
            let (name, value) = match letters.split_once('=') {
                Some((name, _)) => (name, Some(without_start(word, name.len() + 2))),
                None if valued.contains(&letters) => (letters, rest.next().cloned()),
                None => (letters, None),
            };
            let is_whole = valued.contains(&name);
            self.options.push(Choice { name: name.to_owned(), value });
            if is_whole {
                return;
            }
        }
        for (at, letter) in letters.char_indices() {
            let mut buffer = [0; 4];
            let name: &str = letter.encode_utf8(&mut buffer);
            let takes = valued.contains(&name);
            let after = at + letter.len_utf8();
            let has_more = after < letters.len() || word.text().is_none();
            let value = match (takes, has_more) {
                (false, _) => None,
                (true, true) => Some(without_start(word, after + 1)),
                (true, false) => rest.next().cloned(),
            };
            self.options.push(Choice { name: name.to_owned(), value });
            if takes {
                return;
            }
        }
    }

    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|option| names.iter().any(|name| is_called(&option.name, name)))
    }

    pub(crate) fn values<'n>(&'n self, names: &'n [&str]) -> impl Iterator<Item = &'n Word> {
        let called = |option: &&Choice| names.iter().any(|name| is_called(&option.name, name));
        self.options.iter().filter(called).filter_map(|option| option.value.as_ref())
    }

    pub(crate) fn value<'n>(&'n self, names: &'n [&str]) -> Option<&'n Word> {
        self.values(names).next()
    }
}

/// GNU programs accept every unambiguous prefix of a long option.
fn is_called(given: &str, name: &str) -> bool {
    given == name || (name.len() > SHORTEST && given.len() >= SHORTEST && name.starts_with(given))
}

/// Removes the first `bytes` of the word, which are known text.
pub(crate) fn without_start(word: &Word, mut bytes: usize) -> Word {
    let mut pieces = Vec::new();
    for piece in &word.pieces {
        match piece {
            Piece::Text(text) | Piece::Glob(text) if bytes > 0 => {
                let cut = bytes.min(text.len());
                bytes -= cut;
                let left = text.get(cut..).unwrap_or_default().to_owned();
                if !left.is_empty() {
                    let is_glob = matches!(piece, Piece::Glob(_));
                    pieces.push(if is_glob { Piece::Glob(left) } else { Piece::Text(left) });
                }
            }
            _ => pieces.push(piece.clone()),
        }
    }
    Word { pieces }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word> {
        text.split(' ').map(Word::of).collect()
    }

    #[test]
    fn short_options_combine_and_long_ones_may_be_abbreviated() {
        for text in ["-rf x", "-f -r x", "-fr x", "x -rf", "--recursive -f x", "--recurs -f -- x"] {
            let read = Arguments::of(&words(text), &[]);
            assert!(read.has(&["r", "recursive"]), "{text}");
            assert_eq!(read.operands[0].text().as_deref(), Some("x"), "{text}");
        }
        assert!(!Arguments::of(&words("-- -r"), &[]).has(&["r"]));
    }

    #[test]
    fn a_value_may_be_glued_to_its_option_or_follow_it() {
        for text in ["-ofile x", "-o file x", "--output=file x", "--output file x", "-so file x"] {
            let read = Arguments::of(&words(text), &["o", "output"]);
            let value = read.value(&["o", "output"]).and_then(Word::text);
            assert_eq!(value.as_deref(), Some("file"), "{text}");
            assert_eq!(read.operands[0].text().as_deref(), Some("x"), "{text}");
        }
    }
}
