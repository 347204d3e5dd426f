//! Splits the words after a program into options and operands, as most programs do.

use crate::word::Word;

#[derive(Debug, Default)]
pub struct Arguments {
    /// Names and values.
    options: Vec<(String, Option<Word>)>,
    pub operands: Vec<Word>,
}

/// The minimum length of an abbreviated long option.
const SHORTEST: usize = 3;

impl Arguments {
    /// Options may also follow operands. `valued` names the options that take a value; short ones by their letter.
    pub fn of(words: &[Word], valued: &[&str]) -> Self {
        Self::read(words, valued, false).0
    }

    /// Only the options before the first operand, and the words after them.
    pub fn leading<'w>(words: &'w [Word], valued: &[&str]) -> (Self, &'w [Word]) {
        Self::read(words, valued, true)
    }

    fn read<'w>(words: &'w [Word], valued: &[&str], is_leading: bool) -> (Self, &'w [Word]) {
        let mut read = Self::default();
        let mut rest = words;
        while let Some((word, after)) = rest.split_first() {
            let start = word.known_start();
            rest = match start.strip_prefix('-') {
                Some("-") if word.text().is_some() => {
                    read.operands.extend(after.iter().filter(|_| !is_leading).cloned());
                    return (read, after);
                }
                Some(name) if !name.is_empty() => {
                    let used = read.option(name, word, after.first(), valued);
                    after.get(usize::from(used)..).unwrap_or_default()
                }
                _ if is_leading => return (read, rest),
                _ => {
                    read.operands.push(word.clone());
                    after
                }
            };
        }
        (read, rest)
    }

    /// A long option, or one word of single letters. A name after a single dash may be either, so it counts as both.
    /// Returns whether the next word is its value.
    fn option(&mut self, name: &str, word: &Word, next: Option<&Word>, valued: &[&str]) -> bool {
        let (letters, dashes) = name.strip_prefix('-').map_or((name, 1), |long| (long, 2));
        if dashes == 2 || letters.len() > 1 {
            let (name, value) = match letters.split_once('=') {
                Some((name, _)) => (name, Some(word.without_start(dashes + name.len() + 1))),
                None => (letters, None),
            };
            let is_valued = valued.contains(&name);
            let takes_next = is_valued && value.is_none();
            let value = if takes_next { next.cloned() } else { value };
            self.options.push((name.to_owned(), value));
            if is_valued || dashes == 2 {
                return takes_next;
            }
        }
        for (at, letter) in letters.char_indices() {
            let end = at + letter.len_utf8();
            let name = letters[at..end].to_owned();
            let is_valued = valued.contains(&name.as_str());
            let has_more = end < letters.len() || word.text().is_none();
            let value = match (is_valued, has_more) {
                (false, _) => None,
                (true, true) => Some(word.without_start(end + 1)),
                (true, false) => next.cloned(),
            };
            self.options.push((name, value));
            if is_valued {
                return !has_more;
            }
        }
        false
    }

    pub fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(given, _)| names.iter().any(|name| is_called(given, name)))
    }

    pub fn values<'n>(&'n self, names: &'n [&str]) -> impl Iterator<Item = &'n Word> {
        let options =
            self.options.iter().filter_map(|(given, value)| Some((given, value.as_ref()?)));
        let called = |given| names.iter().any(|name| is_called(given, name));
        options.filter(move |(given, _)| called(given)).map(|(_, value)| value)
    }

    pub fn value<'n>(&'n self, names: &'n [&str]) -> Option<&'n Word> {
        self.values(names).next()
    }
}

/// GNU programs accept every unambiguous prefix of a long option.
fn is_called(given: &str, name: &str) -> bool {
    given == name || (name.len() > SHORTEST && given.len() >= SHORTEST && name.starts_with(given))
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
            let words = words(text);
            let read = Arguments::of(&words, &["o", "output"]);
            let value = read.value(&["o", "output"]).and_then(Word::text);
            assert_eq!(value.as_deref(), Some("file"), "{text}");
            assert_eq!(read.operands[0].text().as_deref(), Some("x"), "{text}");
            let (read, rest) = Arguments::leading(&words, &["o", "output"]);
            assert!(read.value(&["o", "output"]).is_some(), "{text}");
            assert_eq!(rest[0].text().as_deref(), Some("x"), "{text}");
        }
        let words = words("-u root -- -x");
        let (read, rest) = Arguments::leading(&words, &["u"]);
        assert_eq!((rest.len(), read.has(&["x"])), (1, false));
    }
}
