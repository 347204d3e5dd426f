//! Quotes text of the plan in messages.

use itertools::Itertools;
use sanitize::plain;

const LONGEST: usize = 80;

/// On one line, sanitized and shortened.
pub(crate) fn quote(text: &str) -> String {
    let text = text.split_whitespace().join(" ");
    if text.chars().count() <= LONGEST {
        return format!("\"{}\"", plain(&text));
    }
    let cut: String = text.chars().take(LONGEST - 1).collect();
    format!("\"{}…\"", plain(cut.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_is_short_harmless_and_on_one_line() {
        assert_eq!(quote("two\n  lines\x1b[2J"), "\"two lines\u{fffd}[2J\"");
        let long = quote(&"word ".repeat(100));
        assert!(long.ends_with("…\"") && long.chars().count() <= LONGEST + 2, "{long}");
    }
}
