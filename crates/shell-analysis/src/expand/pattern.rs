//! Matches shell patterns against known text.

use crate::word::{Piece, Word};

/// Cuts a match off the start (`#`, `##`) or the end (`%`, `%%`): the shortest, or with two signs the longest. `None` if
/// a part of the pattern is unknown or not supported.
pub(crate) fn cut(pattern: &Word, text: &str, operator: &str) -> Option<String> {
    let pattern: String = pattern.pieces.iter().map(pattern_of).collect::<Option<_>>()?;
    let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let kept = |at: usize| {
        let (head, tail) = text.split_at(at);
        let (cut, kept) = if operator.starts_with('#') { (head, tail) } else { (tail, head) };
        glob(&pattern, cut).then_some(kept)
    };
    let found = match operator {
        "##" | "%" => places.rev().find_map(kept),
        _ => places.into_iter().find_map(kept),
    };
    Some(found.unwrap_or(text).to_owned())
}

/// As in the patterns of `glob`.
fn pattern_of(piece: &Piece) -> Option<String> {
    match piece {
        Piece::Text(text) => Some(text.replace('[', "[[]").replace('*', "[*]").replace('?', "[?]")),
        Piece::Glob(text) if text.contains("[:") => None,
        Piece::Glob(text)
            if ["?(", "*(", "+(", "@(", "!("].iter().any(|one| text.contains(one)) =>
        {
            None
        }
        Piece::Glob(text) => Some(text.clone()),
        Piece::Unknown(_) => None,
    }
}

/// Whether a pattern with `*`, `?` and `[…]` matches a whole text; letters in upper and lower case differ. Backtracks to
/// the last `*` only, so it takes at most pattern times text steps.
pub fn glob(mut pattern: &str, mut text: &str) -> bool {
    let after = |text: &str| text.chars().next().map_or(0, char::len_utf8);
    let mut back: Option<(&str, &str)> = None;
    loop {
        let wanted = pattern.chars().next();
        let step = match (wanted, text.chars().next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                pattern = &pattern[1..];
                back = Some((pattern, text));
                continue;
            }
            (Some('?'), Some(_)) => Some(1),
            (Some('['), Some(letter)) => class(pattern, letter),
            _ => wanted.filter(|_| wanted == text.chars().next()).map(char::len_utf8),
        };
        match (step, back) {
            (Some(step), _) => {
                pattern = &pattern[step..];
                text = &text[after(text)..];
            }
            (None, Some((star, from))) if !from.is_empty() => {
                text = &from[after(from)..];
                pattern = star;
                back = Some((star, text));
            }
            (None, _) => return false,
        }
    }
}

/// The length of the class that a pattern begins with, if it matches this letter.
fn class(pattern: &str, letter: char) -> Option<usize> {
    let inside = pattern.get(1..)?;
    let inner = inside.strip_prefix(['!', '^']).unwrap_or(inside);
    let first = inner.chars().next()?.len_utf8();
    let end = first + inner.get(first..)?.find(']')?;
    let letters: Vec<char> = inner[..end].chars().collect();
    let is_range = |at: usize| letters.get(at + 1) == Some(&'-') && at + 2 < letters.len();
    let (mut at, mut is_taken) = (0, false);
    while at < letters.len() {
        let last = at + if is_range(at) { 2 } else { 0 };
        is_taken |= (letters[at]..=letters[last]).contains(&letter);
        at = last + 1;
    }
    let length = pattern.len() - inner.len() + end + 1;
    (is_taken != (inner.len() < inside.len())).then_some(length)
}
