//! Sanitizes text from a user's files for one line of output.

/// Replaces line breaks, terminal control and bidirectional characters with spaces.
pub(crate) fn one_line(text: &str) -> String {
    let is_control =
        |c: char| c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if is_control(c) { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_spaces() {
        assert_eq!(one_line("a\nb\u{1b}[31m\u{202e}c\u{9b}é"), "a b [31m c é");
    }
}
