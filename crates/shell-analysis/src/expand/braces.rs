//! Brace expansion: `{a,b}` and `{1..3}`.

use std::borrow::Cow;

use crate::interpret::{Run, Shell};
use crate::syntax::{RawWord, WordPart};
use crate::word::Unknown;

const WORDS: usize = 2048;
const STEPS: i64 = 256;
const DEPTH: usize = 32;

/// An unquoted character, or a part that brace expansion leaves unchanged.
#[derive(Debug, Clone)]
enum Atom {
    Char(char),
    WordPart(WordPart),
}

impl Shell<'_> {
    pub(super) fn braces<'r>(&mut self, raw: &'r RawWord) -> Run<Cow<'r, [RawWord]>> {
        let braced = |part: &WordPart| matches!(part, WordPart::Plain(text) if text.contains('{'));
        if !raw.parts.iter().any(braced) {
            return Ok(Cow::Borrowed(std::slice::from_ref(raw)));
        }
        let mut atoms = Vec::new();
        for part in &raw.parts {
            match part {
                WordPart::Plain(text) => atoms.extend(text.chars().map(Atom::Char)),
                part => atoms.push(Atom::WordPart(part.clone())),
            }
        }
        let groups = groups(&atoms);
        if groups.iter().all(|group| group.close.is_none()) {
            return Ok(Cow::Borrowed(std::slice::from_ref(raw)));
        }
        let words = self.brace_words(&atoms, 0, &groups, 0)?;
        Ok(Cow::Owned(words.into_iter().map(raw_of).collect()))
    }

    /// `begin` is the position of `atoms` in the whole word.
    fn brace_words(
        &mut self,
        atoms: &[Atom],
        begin: usize,
        groups: &[Group],
        depth: usize,
    ) -> Run<Vec<Vec<Atom>>> {
        if depth > DEPTH {
            return Err(self.too_deep());
        }
        let mut words = vec![Vec::new()];
        let mut at = 0;
        while at < atoms.len() {
            self.spend(words.len() * 12)?;
            let close = groups.get(begin + at).and_then(|group| group.close);
            let Some(close) = close.map(|close| close - begin).filter(|close| *close < atoms.len())
            else {
                for word in &mut words {
                    word.push(atoms[at].clone());
                }
                at += 1;
                continue;
            };
            let alternatives = match sequence(&atoms[at + 1..close]) {
                Some(items) => items,
                None => self.alternatives(atoms, at, close, begin, groups, depth)?,
            };
            if words.len() * alternatives.len() > WORDS {
                return Err(self.too_much());
            }
            let mut products = Vec::with_capacity(words.len() * alternatives.len());
            for word in &words {
                for alternative in &alternatives {
                    self.spend((word.len() + alternative.len()) * 12)?;
                    products.push([word.as_slice(), alternative.as_slice()].concat());
                }
            }
            words = products;
            at = close + 1;
        }
        Ok(words)
    }

    fn alternatives(
        &mut self,
        atoms: &[Atom],
        open: usize,
        close: usize,
        begin: usize,
        groups: &[Group],
        depth: usize,
    ) -> Run<Vec<Vec<Atom>>> {
        let commas = groups.get(begin + open).map(|group| group.commas.clone()).unwrap_or_default();
        let mut all = Vec::new();
        let mut from = open + 1;
        for to in commas.into_iter().map(|comma| comma - begin).chain([close]) {
            all.extend(self.brace_words(&atoms[from..to], begin + from, groups, depth + 1)?);
            from = to + 1;
        }
        Ok(all)
    }
}

/// The group that an opening brace starts.
#[derive(Debug, Clone, Default)]
struct Group {
    /// The position of the closing brace, if it is a group.
    close: Option<usize>,
    commas: Vec<usize>,
}

fn groups(atoms: &[Atom]) -> Vec<Group> {
    let mut groups = vec![Group::default(); atoms.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, atom) in atoms.iter().enumerate() {
        match atom {
            Atom::Char('{') => open.push(at),
            Atom::Char(',') => {
                if let Some(last) = open.last() {
                    groups[*last].commas.push(at);
                }
            }
            Atom::Char('}') => {
                let Some(last) = open.pop() else { continue };
                let counts = !groups[last].commas.is_empty()
                    || sequence(&atoms[last + 1..at.min(last + 48)]).is_some();
                if counts {
                    groups[last].close = Some(at);
                }
            }
            _ => {}
        }
    }
    groups
}

/// `1..3`, `a..e`, `1..9..2`.
fn sequence(atoms: &[Atom]) -> Option<Vec<Vec<Atom>>> {
    let text: Option<String> = atoms
        .iter()
        .map(|atom| match atom {
            Atom::Char(c) => Some(*c),
            Atom::WordPart(_) => None,
        })
        .collect();
    let text = text?;
    let mut ends = text.split("..");
    let (first, last, step) = (ends.next()?, ends.next()?, ends.next());
    if ends.next().is_some() {
        return None;
    }
    let step = step.map_or(Some(1), |step| step.parse::<i64>().ok())?.unsigned_abs().max(1);
    let (from, to, letters) = match (first.parse::<i64>(), last.parse::<i64>()) {
        (Ok(from), Ok(to)) => (from, to, false),
        _ => (letter(first)?, letter(last)?, true),
    };
    let count = i64::try_from(from.abs_diff(to) / step).ok()?;
    if count > STEPS {
        return Some(vec![vec![Atom::WordPart(WordPart::Hole(Unknown::Value))]]);
    }
    let step = i64::try_from(step).ok()?;
    let width = if padded(first) || padded(last) { first.len().max(last.len()) } else { 0 };
    let items = (0..=count).map(|n| {
        let value = if from <= to { from + n * step } else { from - n * step };
        let text = match u32::try_from(value).ok().and_then(char::from_u32) {
            Some(c) if letters => c.to_string(),
            _ => format!("{value:0width$}"),
        };
        text.chars().map(Atom::Char).collect()
    });
    Some(items.collect())
}

fn padded(number: &str) -> bool {
    let digits = number.trim_start_matches('-');
    digits.len() > 1 && digits.starts_with('0')
}

fn letter(text: &str) -> Option<i64> {
    let mut chars = text.chars();
    let c = chars.next().filter(char::is_ascii_alphabetic)?;
    chars.next().is_none().then_some(i64::from(u32::from(c)))
}

fn raw_of(atoms: Vec<Atom>) -> RawWord {
    let mut raw = RawWord::default();
    for atom in atoms {
        match atom {
            Atom::Char(c) => raw.push_plain(c),
            Atom::WordPart(part) => raw.parts.push(part),
        }
    }
    raw
}
