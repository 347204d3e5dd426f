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
        let text: Vec<char> = text.chars().collect();
        let ends = self.ends(&text, 0, &mut { usize::MAX });
        ends.is_some_and(|ends| ends.last() == Some(&text.len()))
    }

    /// The positions where a match from `from` on can end, ascending; `None` after too many steps.
    fn ends(&self, text: &[char], from: usize, steps: &mut usize) -> Option<Vec<usize>> {
        let mut ends = vec![from];
        for atom in &self.0 {
            let Some(first) = ends.first() else { break };
            *steps = steps.checked_sub(ends.len() + 1)?;
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
        Some(ends)
    }

    /// Replaces a match at the start (`…#`) or the end (`…%`), else the first match or all (`//`): the longest, but the
    /// shortest for `#` and `%`.
    pub(crate) fn replace(
        &self,
        text: &str,
        operator: &str,
        by: &str,
        steps: &mut usize,
    ) -> Option<String> {
        let chars: Vec<char> = text.chars().collect();
        let (at_start, at_end) = (operator.ends_with('#'), operator.ends_with('%'));
        let mut starts: Vec<usize> = (0..=if at_start { 0 } else { chars.len() }).collect();
        if operator == "%" {
            starts.reverse();
        }
        let mut out = String::new();
        let mut done = 0;
        for start in starts {
            let ends = if start < done { Vec::new() } else { self.ends(&chars, start, steps)? };
            let end = if operator == "#" { ends.first() } else { ends.last() };
            let fits =
                |end: usize| if at_end { end == chars.len() } else { at_start || end > start };
            let Some(end) = end.copied().filter(|end| fits(*end)) else { continue };
            *steps = steps.checked_sub(by.len())?;
            out.extend(&chars[done..start]);
            out.push_str(by);
            done = end;
            if operator != "//" {
                break;
            }
        }
        out.extend(&chars[done..]);
        Some(out)
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
pub(crate) fn ranges(text: &str) -> Vec<(char, char)> {
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
