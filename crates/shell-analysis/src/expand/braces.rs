//! Brace expansion: `{a,b}` and `{1..3}`.

use std::borrow::Cow;

use crate::interpret::{Run, Shell};
use crate::syntax::{RawWord, WordPart};
use crate::word::Unknown;

const WORDS: usize = 2048;
const STEPS: i128 = 256;
const DEPTH: usize = 32;
/// The longest `{1..3}`.
const LONGEST: usize = 48;

impl Shell<'_> {
    pub(super) fn braces<'r>(&mut self, raw: &'r RawWord) -> Run<Cow<'r, [RawWord]>> {
        let braced = |part: &WordPart| matches!(part, WordPart::Plain(text) if text.contains('{'));
        if !raw.parts.iter().any(braced) {
            return Ok(Cow::Borrowed(std::slice::from_ref(raw)));
        }
        let mut parts = Vec::new();
        for part in &raw.parts {
            match part {
                WordPart::Plain(text) => {
                    parts.extend(text.chars().map(|c| WordPart::Plain(c.into())));
                }
                part => parts.push(part.clone()),
            }
        }
        self.brace_words(&parts, 0).map(Cow::Owned)
    }

    /// The words of parts in which each unquoted character is a part of its own.
    fn brace_words(&mut self, parts: &[WordPart], depth: usize) -> Run<Vec<RawWord>> {
        if depth > DEPTH {
            return Err(self.too_deep());
        }
        let mut words = vec![RawWord::default()];
        let mut rest = parts;
        loop {
            let opens = rest.iter().filter(|part| plain(part) == Some("{"));
            self.spend(opens.count() * rest.len())?;
            let Some((open, ends)) = first_group(rest) else { break };
            let mut from = open + 1;
            let mut alternatives = Vec::new();
            for to in &ends {
                alternatives.extend(match sequence(&rest[from..*to]) {
                    Some(items) if ends.len() == 1 => items,
                    _ => self.brace_words(&rest[from..*to], depth + 1)?,
                });
                from = to + 1;
            }
            words = self.products(&words, &rest[..open], &alternatives)?;
            rest = &rest[from..];
        }
        self.products(&words, rest, &[RawWord::default()])
    }

    /// Each start with each end, and the middle between them.
    fn products(
        &mut self,
        starts: &[RawWord],
        middle: &[WordPart],
        ends: &[RawWord],
    ) -> Run<Vec<RawWord>> {
        if starts.len() * ends.len() > WORDS {
            return Err(self.too_much());
        }
        let mut words = Vec::new();
        for start in starts {
            for end in ends {
                let mut word = start.clone();
                for part in middle.iter().chain(&end.parts) {
                    match (word.parts.last_mut(), part) {
                        (Some(WordPart::Plain(text)), WordPart::Plain(more)) => text.push_str(more),
                        _ => word.parts.push(part.clone()),
                    }
                }
                self.spend(word.parts.iter().map(cost).sum())?;
                words.push(word);
            }
        }
        Ok(words)
    }
}

fn cost(part: &WordPart) -> usize {
    12 * plain(part).map_or(1, str::len)
}

fn plain(part: &WordPart) -> Option<&str> {
    match part {
        WordPart::Plain(text) => Some(text),
        _ => None,
    }
}

/// The first group: its opening brace, and the ends of its alternatives.
fn first_group(parts: &[WordPart]) -> Option<(usize, Vec<usize>)> {
    let opens = (0..parts.len()).filter(|at| plain(&parts[*at]) == Some("{"));
    opens.into_iter().find_map(|open| {
        let mut depth = 0;
        let mut ends = Vec::new();
        for (at, part) in parts.iter().enumerate().skip(open) {
            match plain(part) {
                Some("{") => depth += 1,
                Some("}") => depth -= 1,
                _ => {}
            }
            if depth == 0 || depth == 1 && plain(part) == Some(",") {
                ends.push(at);
            }
            if depth == 0 {
                let is_group = ends.len() > 1 || sequence(&parts[open + 1..at]).is_some();
                return is_group.then_some((open, ends));
            }
        }
        None
    })
}

/// `1..3`, `a..e`, `1..9..2`.
fn sequence(parts: &[WordPart]) -> Option<Vec<RawWord>> {
    let text = parts.iter().take(LONGEST).map(plain).collect::<Option<String>>()?;
    let ends: Vec<&str> = text.split("..").collect();
    let (first, last, step) = match ends.as_slice() {
        [first, last] => (*first, *last, 1),
        [first, last, step] => (*first, *last, number(step)?.abs().max(1)),
        _ => return None,
    };
    let letters = letter(first).zip(letter(last));
    let (from, to) = letters.or(number(first).zip(number(last)))?;
    if (to - from).abs() / step > STEPS {
        return Some(vec![RawWord { parts: vec![WordPart::Hole(Unknown::Value)] }]);
    }
    let is_padded = |text: &str| text.len() > 1 && text.trim_start_matches('-').starts_with('0');
    let is_padded = is_padded(first) || is_padded(last);
    let width = if is_padded { first.len().max(last.len()) } else { 0 };
    let items = (0..=(to - from).abs() / step).map(|n| {
        let value = from + n * step * (to - from).signum();
        let text = match u8::try_from(value) {
            Ok(letter) if letters.is_some() => char::from(letter).into(),
            _ => format!("{value:0width$}"),
        };
        RawWord { parts: vec![WordPart::Plain(text)] }
    });
    Some(items.collect())
}

fn number(text: &str) -> Option<i128> {
    text.parse::<i64>().ok().map(i128::from)
}

fn letter(text: &str) -> Option<i128> {
    let is_letter = text.len() == 1 && text.starts_with(|c: char| c.is_ascii_alphabetic());
    text.bytes().next().filter(|_| is_letter).map(i128::from)
}
