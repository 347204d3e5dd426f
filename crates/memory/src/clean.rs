//! Sanitizes text of others: no terminal escapes and no bidirectional controls, as a block or as one line.

/// Escape sequences are removed line by line, so that an unterminated one affects one line at most.
pub(crate) fn clean(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    let mut kept = String::with_capacity(text.len());
    for (n, line) in text.split('\n').enumerate() {
        if n > 0 {
            kept.push('\n');
        }
        for piece in anstream::adapter::strip_str(line) {
            kept.extend(piece.chars().filter(|c| !is_unsafe_char(*c)));
        }
    }
    kept
}

/// Sanitized and on one line, so that it cannot begin a heading, fence or list.
pub(crate) fn one_line(text: &str) -> String {
    let clean = clean(text);
    let mut line = String::with_capacity(clean.len());
    for word in clean.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
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
