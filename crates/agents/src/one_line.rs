//! Shortens a text to one bounded line for display.

/// Wide enough for any terminal.
const LONGEST: usize = 200;

/// The first line with text. Control characters become spaces, because the text is untrusted and is printed to
/// terminals.
pub(crate) fn one_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut characters = line.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = characters.by_ref().take(LONGEST).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_with_text() {
        assert_eq!(one_line("\n  \n  cargo test  \nmore"), "cargo test");
        assert_eq!(one_line("a\r\nb"), "a");
        assert_eq!(one_line(" \n "), "");
    }

    #[test]
    fn nothing_that_steers_a_terminal() {
        assert_eq!(one_line("\u{1b}[2Jgone\tnow"), " [2Jgone now");
    }

    #[test]
    fn bounded_in_characters() {
        let long = "ä".repeat(LONGEST + 1);
        assert_eq!(one_line(&long), format!("{}…", "ä".repeat(LONGEST)));
        assert_eq!(one_line(&long[2..]), "ä".repeat(LONGEST));
    }
}
