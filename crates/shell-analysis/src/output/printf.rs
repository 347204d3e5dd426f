//! `printf`.

use crate::parse::ansi::{EscapeSet, unescape};
use crate::word::Word;

/// How often the format is reused for more arguments.
const ROUNDS: usize = 256;

pub(super) fn printf(arguments: &[Word]) -> Option<Word> {
    let arguments = match arguments.first()?.text().as_deref() {
        Some("--") => &arguments[1..],
        _ => arguments,
    };
    let (format, values) = arguments.split_first()?;
    let Some(format) = format.text() else {
        // The format is unknown, so only its unknown parts are.
        return values.is_empty().then(|| format.clone());
    };
    let mut values = values.iter();
    let mut out = Word::default();
    for _ in 0..ROUNDS {
        let left = values.len();
        round(&format, &mut values, &mut out)?;
        if values.len() == 0 || values.len() == left {
            break;
        }
    }
    Some(out)
}

fn round<'v>(
    format: &str,
    values: &mut impl Iterator<Item = &'v Word>,
    out: &mut Word,
) -> Option<()> {
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_text(&unescape(&rest[..at], EscapeSet::Quote).text);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            out.push_text("%");
            rest = after;
            continue;
        }
        let end = rest.find(|c: char| c.is_ascii_alphabetic())?;
        let (flags, kind) = (&rest[..end], rest[end..].chars().next()?);
        rest = &rest[end + 1..];
        let value = values.next().cloned().unwrap_or_default();
        convert(flags, kind, value, out)?;
    }
    out.push_text(&unescape(rest, EscapeSet::Quote).text);
    Some(())
}

fn convert(flags: &str, kind: char, value: Word, out: &mut Word) -> Option<()> {
    let text = value.text();
    match (kind, text) {
        ('s' | 'b' | 'q', None) => out.append(value),
        ('s' | 'q', Some(text)) => out.push_text(&fitted(flags, &text)?),
        ('b', Some(text)) => out.push_text(&unescape(&text, EscapeSet::Echo).text),
        ('c', Some(text)) => out.push_text(&text.chars().take(1).collect::<String>()),
        ('d' | 'i' | 'u' | 'x' | 'X' | 'o', Some(text)) => {
            let number = number(&text)?;
            let shown = match kind {
                'x' => format!("{number:x}"),
                'X' => format!("{number:X}"),
                'o' => format!("{number:o}"),
                _ => number.to_string(),
            };
            let zeros = flags.starts_with('0');
            let width: usize = flags.trim_start_matches('0').parse().unwrap_or(0);
            let fill = if zeros { "0" } else { " " };
            out.push_text(&fill.repeat(width.min(256).saturating_sub(shown.len())));
            out.push_text(&shown);
        }
        _ => return None,
    }
    Some(())
}

/// Applies a width and a precision that are plain numbers.
fn fitted(flags: &str, text: &str) -> Option<String> {
    let (width, precision) = flags.split_once('.').unwrap_or((flags, ""));
    let text: String = match precision {
        "" if flags.contains('.') => String::new(),
        "" => text.to_owned(),
        digits => text.chars().take(digits.parse().ok()?).collect(),
    };
    if width.is_empty() {
        return Some(text);
    }
    let left = width.starts_with('-');
    let width: usize = width.trim_start_matches('-').parse().ok()?;
    let fill = " ".repeat(width.min(1024).saturating_sub(text.chars().count()));
    Some(if left { text + &fill } else { fill + &text })
}

fn number(text: &str) -> Option<i64> {
    if let Some(c) = text.strip_prefix(['\'', '"']) {
        return c.chars().next().map(|c| i64::from(u32::from(c)));
    }
    if text.is_empty() {
        return Some(0);
    }
    crate::expand::arithmetic::evaluate(text, &mut |_| None)
}
