//! Splits output into the lines a terminal shows: without colours and overwritten text, up to a
//! size limit.

use crate::pattern::Pattern;

/// Checks describe their failure at the start or the end of their output.
const KEPT_PER_END: usize = 512 * 1024;

/// A time at the start of a line was added by a log collector.
static CLOCK: Pattern = Pattern::new(&[
    r"^[\[(]?(?:\d{4}-\d{2}-\d{2}[T ])?\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?[\])]?(?:\s+|$)",
]);

pub(crate) fn lines(output: &str) -> impl Iterator<Item = String> {
    let (head, tail) = ends(output);
    head.split('\n').chain(tail.split('\n')).map(visible_text)
}

/// The first and last part of long text, else all of it.
fn ends(output: &str) -> (&str, &str) {
    if output.len() <= 2 * KEPT_PER_END {
        return (output, "");
    }
    let before = |at: usize| (0..=at).rev().find(|at| output.is_char_boundary(*at)).unwrap_or(0);
    (&output[..before(KEPT_PER_END)], &output[before(output.len() - KEPT_PER_END)..])
}

/// Escape sequences are removed per line, so that an unterminated one affects only its line.
fn visible_text(line: &str) -> String {
    let text = anstream::adapter::strip_str(line).to_string();
    let drawn = text.trim_end().rsplit('\r').find(|layer| !layer.trim().is_empty()).unwrap_or("");
    let plain: String = drawn.chars().filter(|c| *c == '\t' || !c.is_control()).collect();
    CLOCK.replace(plain.trim_end(), "").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(output: &str) -> Vec<String> {
        lines(output).filter(|line| !line.is_empty()).collect()
    }

    #[test]
    fn colours_links_and_titles_are_removed() {
        let link = "\x1b]8;;https://example.com\x1b\\E0425\x1b]8;;\x07";
        assert_eq!(
            of(&format!("\x1b]0;title\x07\x1b[1;31merror\x1b[0m[{link}]\x1b(B\x1b[m")),
            ["error[E0425]"]
        );
    }

    #[test]
    fn an_unterminated_sequence_affects_one_line() {
        assert_eq!(of("\x1b]0;title\nerror"), ["error"]);
    }

    #[test]
    fn overwritten_text_is_removed() {
        assert_eq!(of(" 10%\r 90%\rdone\r\nnext\r\n"), ["done", "next"]);
    }

    #[test]
    fn a_leading_time_is_removed() {
        for clock in ["2026-01-21T10:30:00Z", "[10:30:00.123]", "2026-01-21 10:30:00,5 +01:00"] {
            assert_eq!(of(&format!("{clock} boom")), ["boom"], "{clock}");
        }
    }

    #[test]
    fn both_ends_of_long_output_are_read_and_no_more() {
        let long = format!("first\n{}\nlast", "é\n".repeat(KEPT_PER_END));
        let read = of(&long);
        assert_eq!((read[0].as_str(), read[read.len() - 1].as_str()), ("first", "last"));
        assert!(read.iter().map(String::len).sum::<usize>() <= 2 * KEPT_PER_END + 1);
        assert!(
            of(&"é".repeat(5 * KEPT_PER_END)).iter().map(String::len).sum::<usize>()
                <= 2 * KEPT_PER_END + 1
        );
    }
}
