//! Matches shell patterns against known text.

use crate::word::{Piece, Word};

/// `*`, or one character in one of the ranges, or in none of them.
#[derive(Debug)]
enum Atom {
    Many,
    One { ranges: Vec<(char, char)>, is_inverted: bool },
}

/// A shell pattern with `*`, `?` and `[…]`.
#[derive(Debug)]
pub struct Pattern(Vec<Atom>);

impl Pattern {
    /// `None` if a part is unknown or a wildcard is not supported.
    pub fn of(word: &Word) -> Option<Self> {
        let mut atoms = Vec::new();
        for piece in &word.pieces {
            match piece {
                Piece::Text(text) => atoms.extend(text.chars().map(literal)),
                Piece::Glob(text) => wildcards(text, &mut atoms)?,
                Piece::Unknown(_) => return None,
            }
        }
        Some(Self(atoms))
    }

    /// Whether it matches the whole text.
    pub fn matches(&self, text: &str) -> bool {
        self.matches_all(&text.chars().collect::<Vec<_>>())
    }

    fn matches_all(&self, text: &[char]) -> bool {
        // The positions where a match of the atoms so far can end, ascending.
        let mut ends = vec![0];
        for atom in &self.0 {
            let Some(first) = ends.first() else { return false };
            ends = match atom {
                Atom::Many => (*first..=text.len()).collect(),
                Atom::One { ranges, is_inverted } => {
                    let fits = |c: &char| {
                        ranges.iter().any(|(from, to)| (from..=to).contains(&c)) != *is_inverted
                    };
                    ends.retain(|at| text.get(*at).is_some_and(fits));
                    ends.into_iter().map(|at| at + 1).collect()
                }
            };
        }
        ends.last() == Some(&text.len())
    }

    /// Cuts a match off the start (`#`, `##`) or the end (`%`, `%%`): the shortest, or with two signs the longest.
    pub(crate) fn cut(&self, text: &str, operator: &str) -> String {
        let chars: Vec<char> = text.chars().collect();
        let mut places: Vec<usize> = (0..=chars.len()).collect();
        if matches!(operator, "##" | "%") {
            places.reverse();
        }
        let found = places.into_iter().find_map(|at| {
            let (head, tail) = chars.split_at(at);
            let (cut, kept) = if operator.starts_with('#') { (head, tail) } else { (tail, head) };
            self.matches_all(cut).then(|| kept.iter().collect())
        });
        found.unwrap_or_else(|| text.to_owned())
    }
}

fn literal(c: char) -> Atom {
    Atom::One { ranges: vec![(c, c)], is_inverted: false }
}

fn wildcards(text: &str, atoms: &mut Vec<Atom>) -> Option<()> {
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        atoms.push(match c {
            '?' | '*' | '+' | '@' | '!' if rest.as_str().starts_with('(') => return None,
            '[' if rest.as_str().contains("[:") => return None,
            '*' => Atom::Many,
            '?' => Atom::One { ranges: Vec::new(), is_inverted: true },
            '[' => match set(rest.as_str()) {
                Some((atom, after)) => {
                    rest = after.chars();
                    atom
                }
                None => literal('['),
            },
            c => literal(c),
        });
    }
    Some(())
}

/// The set after a `[`, and the text after it.
fn set(text: &str) -> Option<(Atom, &str)> {
    let inner = text.strip_prefix(['!', '^']).unwrap_or(text);
    let first = inner.chars().next()?.len_utf8();
    let close = first + inner[first..].find(']')?;
    let ranges = ranges(&inner[..close]);
    Some((Atom::One { ranges, is_inverted: inner.len() < text.len() }, &inner[close + 1..]))
}

/// The ranges of `a-zA-Z_`.
fn ranges(text: &str) -> Vec<(char, char)> {
    let chars: Vec<char> = text.chars().collect();
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(from) = chars.get(at) {
        let to = chars.get(at + 2).filter(|_| chars[at + 1] == '-');
        ranges.push((*from, *to.unwrap_or(from)));
        at += if to.is_some() { 3 } else { 1 };
    }
    ranges
}
