//! Untrusted text in terminal cells.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr;

/// `text` sanitized on one line, with characters of unambiguous width.
pub(crate) fn shown(text: &str) -> String {
    without_joiners(sanitize::line(text.trim()))
}

/// The first lines of a text, within limits, and whether there is more.
pub(crate) fn lines(text: &str, most: Limits) -> (Vec<String>, bool) {
    let bytes = most.lines.saturating_mul(most.chars).saturating_mul(4);
    let end = (0..=bytes.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    let begins = &text[..end.unwrap_or(0)];
    let mut lines = sanitize::block(begins);
    let mut cut = begins.len() < text.len() || lines.len() > most.lines;
    lines.truncate(most.lines);
    for line in &mut lines {
        if let Some((end, _)) = line.char_indices().nth(most.chars) {
            line.truncate(end);
            cut = true;
        }
    }
    (lines.into_iter().map(without_joiners).collect(), cut)
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) lines: usize,
    pub(crate) chars: usize,
}

/// Cut to `width` columns.
pub(crate) fn cut<'t>(text: &'t str, width: usize, ellipsis: &str) -> Cow<'t, str> {
    if text.width() <= width {
        return text.into();
    }
    let space = width.saturating_sub(ellipsis.width());
    let kept = text[..sanitize::fitting(text, space)].trim_end();
    format!("{kept}{}", if width == 0 { "" } else { ellipsis }).into()
}

/// Exactly `width` columns.
pub(crate) fn padded(text: &str, width: usize, ellipsis: &str) -> String {
    let text = cut(text, width, ellipsis);
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// Removes joiners, whose width depends on the font.
fn without_joiners(text: String) -> String {
    if text.contains(|c| joins(c) || flag_letter(c).is_some()) {
        let kept = text.chars().filter(|&c| !joins(c));
        kept.map(|c| flag_letter(c).unwrap_or(c)).collect()
    } else {
        text
    }
}

fn joins(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{20e3}')
        || matches!(c, '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}')
}

/// Regional indicators, which some terminals show as flags, become letters.
fn flag_letter(c: char) -> Option<char> {
    let at = u32::from(c).checked_sub(0x1f1e6).filter(|at| *at < 26)?;
    char::from_u32(u32::from('A') + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_counts_columns() {
        assert_eq!(cut("日本語", 6, "…"), "日本語");
        assert_eq!(cut("日本語", 5, "…"), "日本…");
        assert_eq!(cut("abc", 0, "…"), "");
        assert_eq!(padded("日本語", 4, "…"), "日… ");
        assert_eq!(padded("a", 3, "…"), "a  ");
    }

    #[test]
    fn joined_emoji_are_split_and_combining_marks_stay() {
        assert_eq!(shown("👩\u{200d}👧 e\u{301} ❤\u{fe0f}\u{202e}"), "👩👧 e\u{301} ❤\u{fffd}");
        assert_eq!(shown("🇩🇪 👍\u{1f3fd} 1\u{fe0f}\u{20e3}"), "DE 👍 1");
    }

    #[test]
    fn only_the_beginning_of_a_huge_text_is_read() {
        let limits = Limits { lines: 3, chars: 10 };
        let huge = lines(&"é".repeat(1_000_000), limits);
        assert_eq!((huge.0[0].chars().count(), huge.1), (10, true));
        let many = lines(&"a\n".repeat(1_000_000), limits);
        assert_eq!((many.0.len(), many.1), (3, true));
        let whole = lines("a\nb\x1b[2J", limits);
        assert_eq!(whole, (vec!["a".to_owned(), "b".to_owned()], false));
    }
}
