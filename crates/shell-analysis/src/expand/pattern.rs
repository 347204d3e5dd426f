//! Matches patterns against known text, for `${NAME#…}` and similar.

use crate::syntax::{Greed, ReplaceAt};
use crate::word::{Piece, Word};

/// The longest text that a pattern with wildcards is matched against.
const LONGEST: usize = 128;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Atom {
    Char(char),
    Any,
    Many,
    Set { members: Vec<(char, char)>, inverted: bool },
}

#[derive(Debug)]
pub(crate) struct Pattern(Vec<Atom>);

impl Pattern {
    /// `None` if a part is unknown or a wildcard is not supported.
    pub(crate) fn of(word: &Word) -> Option<Self> {
        let mut atoms = Vec::new();
        for piece in &word.pieces {
            match piece {
                Piece::Text(text) => atoms.extend(text.chars().map(Atom::Char)),
                Piece::Glob(text) => wildcards(text, &mut atoms)?,
                Piece::Unknown(_) => return None,
            }
        }
        Some(Self(atoms))
    }

    /// The cost of matching it against a text.
    pub(crate) fn cost(&self, text: &str) -> usize {
        let length = text.len().min(LONGEST);
        if self.literal().is_some() {
            text.len()
        } else {
            text.len() + length * length * (self.0.len() + 1)
        }
    }

    /// The text of a pattern without wildcards.
    fn literal(&self) -> Option<String> {
        let chars = self.0.iter().map(|atom| match atom {
            Atom::Char(c) => Some(*c),
            _ => None,
        });
        chars.collect()
    }

    pub(crate) fn cut_start(&self, text: &str, greed: Greed) -> Option<String> {
        if let Some(literal) = self.literal() {
            return Some(text.strip_prefix(literal.as_str()).unwrap_or(text).to_owned());
        }
        let chars = small(text)?;
        let mut lengths: Vec<usize> = (0..=chars.len()).collect();
        if greed == Greed::Longest {
            lengths.reverse();
        }
        let cut = lengths.into_iter().find(|length| matches(&self.0, &chars[..*length]));
        Some(chars[cut.unwrap_or(0)..].iter().collect())
    }

    pub(crate) fn cut_end(&self, text: &str, greed: Greed) -> Option<String> {
        if let Some(literal) = self.literal() {
            return Some(text.strip_suffix(literal.as_str()).unwrap_or(text).to_owned());
        }
        let chars = small(text)?;
        let mut places: Vec<usize> = (0..=chars.len()).collect();
        if greed == Greed::Shortest {
            places.reverse();
        }
        let cut = places.into_iter().find(|from| matches(&self.0, &chars[*from..]));
        Some(chars[..cut.unwrap_or(chars.len())].iter().collect())
    }

    pub(crate) fn replace(&self, text: &str, by: &str, replace_at: ReplaceAt) -> Option<String> {
        if self.0.is_empty() {
            return Some(text.to_owned());
        }
        match (self.literal(), replace_at) {
            (Some(literal), ReplaceAt::All) => return Some(text.replace(&literal, by)),
            (Some(literal), ReplaceAt::First) => return Some(text.replacen(&literal, by, 1)),
            _ => {}
        }
        let chars = small(text)?;
        let mut out = String::new();
        let mut at = 0;
        while at <= chars.len() {
            let here = (at..=chars.len()).rev().find(|to| {
                (replace_at != ReplaceAt::End || *to == chars.len())
                    && (*to > at || chars.is_empty())
                    && matches(&self.0, &chars[at..*to])
            });
            match here {
                Some(to) => {
                    out.push_str(by);
                    at = to;
                    if replace_at != ReplaceAt::All || at >= chars.len() {
                        break;
                    }
                }
                None => {
                    if replace_at == ReplaceAt::Start || at == chars.len() {
                        break;
                    }
                    out.push(chars[at]);
                    at += 1;
                }
            }
        }
        out.extend(chars.iter().skip(at));
        Some(out)
    }
}

fn small(text: &str) -> Option<Vec<char>> {
    (text.len() <= LONGEST).then(|| text.chars().collect())
}

fn wildcards(text: &str, atoms: &mut Vec<Atom>) -> Option<()> {
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '*' if atoms.last() == Some(&Atom::Many) => {}
            '*' => atoms.push(Atom::Many),
            '?' => atoms.push(Atom::Any),
            '(' => return None,
            '[' => match set(rest.as_str()) {
                Some((atom, length)) => {
                    atoms.push(atom);
                    rest = rest.as_str()[length..].chars();
                }
                None => atoms.push(Atom::Char('[')),
            },
            c => atoms.push(Atom::Char(c)),
        }
    }
    Some(())
}

/// The set after a `[`, and its length.
fn set(text: &str) -> Option<(Atom, usize)> {
    let inner = text.strip_prefix(['!', '^']).unwrap_or(text);
    let inverted = inner.len() < text.len();
    let first = inner.chars().next()?;
    let close = inner[first.len_utf8()..].find(']')? + first.len_utf8();
    let content: Vec<char> = inner[..close].chars().collect();
    // Classes such as `[:alpha:]` are not supported.
    if content.first() == Some(&'[') {
        return None;
    }
    let mut members = Vec::new();
    let mut at = 0;
    while at < content.len() {
        if at + 2 < content.len() && content[at + 1] == '-' {
            members.push((content[at], content[at + 2]));
            at += 3;
        } else {
            members.push((content[at], content[at]));
            at += 1;
        }
    }
    Some((Atom::Set { members, inverted }, text.len() - inner.len() + close + 1))
}

fn matches(atoms: &[Atom], text: &[char]) -> bool {
    let (mut atom, mut at) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        match atoms.get(atom) {
            Some(Atom::Many) => {
                retry = Some((atom + 1, at));
                atom += 1;
                continue;
            }
            Some(one) if at < text.len() && fits(one, text[at]) => {
                atom += 1;
                at += 1;
                continue;
            }
            None if at == text.len() => return true,
            _ => {}
        }
        match retry {
            Some((after, from)) if from < text.len() => {
                atom = after;
                at = from + 1;
                retry = Some((after, at));
            }
            _ => return false,
        }
    }
}

fn fits(atom: &Atom, c: char) -> bool {
    match atom {
        Atom::Char(expected) => *expected == c,
        Atom::Any | Atom::Many => true,
        Atom::Set { members, inverted } => {
            let inside = members.iter().any(|(from, to)| (*from..=*to).contains(&c));
            inside != *inverted
        }
    }
}
