//! Text from a user's files, as it may stand in a line for people.

/// On one line, and nothing that could steer a terminal or turn the direction of writing.
pub(crate) fn one_line(text: &str) -> String {
    let steers =
        |c: char| c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if steers(c) { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_becomes_a_space() {
        assert_eq!(one_line("a\nb\u{1b}[31m\u{202e}c\u{9b}é"), "a b [31m c é");
    }
}
