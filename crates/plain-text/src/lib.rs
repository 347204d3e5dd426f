//! Somebody else's text on one line of ours.
//!
//! Everything that reaches a terminal, a log or a prompt and was not written here goes through this.
//! Not here: which text that is.

const LONGEST: usize = 500;

/// `text` without anything that could steer a terminal, break a line, or turn its direction. Names
/// from disk, other programs' messages and fields of a marker all may hold such things.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).take(LONGEST).collect()
}

fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_steers_is_replaced() {
        assert_eq!(plain("né → ok"), "né → ok");
        assert_eq!(
            plain("a\x1b[2J\nb\r\0\u{9b}\u{202e}c"),
            "a\u{fffd}[2J\u{fffd}b\u{fffd}\u{fffd}\u{fffd}\u{fffd}c"
        );
        assert_eq!(plain(&"x".repeat(1000)).len(), LONGEST);
    }
}
