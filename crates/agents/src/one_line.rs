//! One bounded line out of any text, fit for a status line.

/// Wide enough for any terminal.
const LONGEST: usize = 200;

/// The first line that says something. Control characters become spaces, for the text is not ours
/// and ends up on terminals.
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
    fn the_first_line_that_says_something() {
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
