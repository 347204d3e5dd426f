//! Text width in terminal columns.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How many bytes of `text` fit into `columns`.
pub fn fitting(text: &str, columns: usize) -> usize {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > columns {
            return at;
        }
    }
    text.len()
}

/// Splits `text` into lines of at most `width` columns, at spaces if possible.
pub fn wrapped(text: &str, width: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let width = width.max(1);
    // No character has more columns than bytes.
    while rest.len() > width && rest.width() > width {
        let fits = match fitting(rest, width) {
            // A character wider than the line is placed anyway.
            0 => rest.chars().next().map_or(rest.len(), char::len_utf8),
            fits => fits,
        };
        let at_space = rest[..fits].rfind(' ').filter(|&at| !rest[..at].trim().is_empty());
        let end = if rest[fits..].starts_with(' ') { fits } else { at_space.unwrap_or(fits) };
        pieces.push(rest[..end].trim_end());
        rest = rest[end..].trim_start();
    }
    if !rest.is_empty() || pieces.is_empty() {
        pieces.push(rest);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_at_spaces_where_there_are_some() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("    indented text", 12), ["    indented", "text"]);
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("", 4), [""]);
        assert_eq!(wrapped("日本", 1), ["日", "本"]);
    }

    #[test]
    fn no_character_has_more_columns_than_bytes() {
        let is_wider = |c: &char| c.width().unwrap_or(1) > c.len_utf8();
        assert_eq!(('\0'..=char::MAX).find(is_wider), None);
    }
}
