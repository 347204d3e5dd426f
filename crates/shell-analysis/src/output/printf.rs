//! `printf`.

use crate::expand::arithmetic::evaluate;
use crate::parse::ansi::{EscapeSet, unescape};
use crate::word::Word;

/// How often the format is reused for more arguments.
const ROUNDS: usize = 256;
/// The widest column.
const WIDEST: usize = 1024;

pub(super) fn printf(arguments: &[Word]) -> Option<Word> {
    let is_end = |word: &Word| word.text().as_deref() == Some("--");
    let (format, mut values) = match arguments.split_first()? {
        (first, rest) if is_end(first) => rest.split_first()?,
        split => split,
    };
    let Some(text) = format.text() else {
        // The format is unknown, so only its unknown parts are.
        return values.is_empty().then(|| format.clone());
    };
    let mut out = Word::default();
    for _ in 0..ROUNDS {
        let left = values.len();
        values = round(&text, values, &mut out)?;
        if values.is_empty() || values.len() == left {
            break;
        }
    }
    Some(out)
}

/// Prints the format once, and returns the values that are left.
fn round<'v>(format: &str, mut values: &'v [Word], out: &mut Word) -> Option<&'v [Word]> {
    let mut parts = format.split('%');
    out.push_text(&unescape(parts.next()?, EscapeSet::Quote));
    while let Some(part) = parts.next() {
        if part.is_empty() {
            out.push_text("%");
            out.push_text(&unescape(parts.next()?, EscapeSet::Quote));
            continue;
        }
        let at = part.find(|c: char| c.is_ascii_alphabetic())?;
        let value = values.first().cloned().unwrap_or_default();
        values = values.get(1..).unwrap_or_default();
        out.append(converted(&part[..at], &part[at..=at], value)?);
        out.push_text(&unescape(&part[at + 1..], EscapeSet::Quote));
    }
    Some(values)
}

fn converted(flags: &str, kind: &str, value: Word) -> Option<Word> {
    let Some(text) = value.text() else { return "sbq".contains(kind).then_some(value) };
    let shown = match kind {
        _ if flags.contains('.') => return None,
        "b" => unescape(&text, EscapeSet::Echo),
        "s" | "q" => text,
        "d" | "i" | "u" if text.is_empty() => "0".to_owned(),
        "d" | "i" | "u" => evaluate(&text, &mut |_| None)?.to_string(),
        _ => return None,
    };
    let digits = flags.trim_start_matches(['-', '0']);
    let width = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    let missing = WIDEST.min(width).saturating_sub(shown.chars().count());
    let fill = if flags.starts_with('0') { "0" } else { " " }.repeat(missing);
    Some(Word::of(if flags.starts_with('-') { shown + &fill } else { fill + &shown }))
}
