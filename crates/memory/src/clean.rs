//! Sanitizes text of others: no terminal escapes and no bidirectional controls, as a block or as one line.

use itertools::Itertools;

/// Escape sequences are removed line by line, so that an unterminated one affects one line at most.
pub(crate) fn clean(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    let clean_line = |line| {
        let pieces = anstream::adapter::strip_str(line);
        pieces.flat_map(str::chars).filter(|c| !is_unsafe_char(*c)).collect::<String>()
    };
    text.split('\n').map(clean_line).join("\n")
}

/// Sanitized and on one line, so that it cannot begin a heading, fence or list.
pub(crate) fn one_line(text: &str) -> String {
    clean(text).split_whitespace().join(" ")
}

/// At most `longest` characters; the last one is a mark if the text was cut.
pub(crate) fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some(_) => text.chars().take(longest.saturating_sub(1)).chain(['…']).collect(),
    }
}

fn is_unsafe_char(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
