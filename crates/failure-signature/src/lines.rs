//! Output as the lines a person would have seen: without colours, without what was drawn over, and
//! within bounds. What the lines mean is not known here.

use std::sync::LazyLock;

use regex::Regex;

use crate::pattern::pattern;

/// Of each end of the output. What a check says about its failure is at one of them.
const KEPT: usize = 512 * 1024;

/// A time before everything else on a line is put there by whoever collects the output.
static CLOCK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[\[(]?(?:\d{4}-\d{2}-\d{2}[T ])?\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?[\])]?(?:\s+|$)",
    )
});

pub(crate) fn lines(output: &str) -> impl Iterator<Item = String> {
    let (head, tail) = ends(output);
    head.split('\n').chain(tail.split('\n')).map(seen)
}

/// The first and the last part of what is too long, and everything of what is not.
fn ends(output: &str) -> (&str, &str) {
    if output.len() <= 2 * KEPT {
        return (output, "");
    }
    let before = |at: usize| (0..=at).rev().find(|at| output.is_char_boundary(*at)).unwrap_or(0);
    (&output[..before(KEPT)], &output[before(output.len() - KEPT)..])
}

/// Escape sequences are taken out line by line, so that one nobody ended swallows one line at most.
fn seen(line: &str) -> String {
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
    fn colours_links_and_titles_are_gone() {
        let link = "\x1b]8;;https://example.com\x1b\\E0425\x1b]8;;\x07";
        assert_eq!(
            of(&format!("\x1b]0;title\x07\x1b[1;31merror\x1b[0m[{link}]\x1b(B\x1b[m")),
            ["error[E0425]"]
        );
    }

    #[test]
    fn a_sequence_nobody_ended_takes_one_line() {
        assert_eq!(of("\x1b]0;title\nerror"), ["error"]);
    }

    #[test]
    fn what_was_drawn_over_is_gone() {
        assert_eq!(of(" 10%\r 90%\rdone\r\nnext\r\n"), ["done", "next"]);
    }

    #[test]
    fn a_clock_before_the_line_is_no_part_of_it() {
        for clock in ["2026-01-21T10:30:00Z", "[10:30:00.123]", "2026-01-21 10:30:00,5 +01:00"] {
            assert_eq!(of(&format!("{clock} boom")), ["boom"], "{clock}");
        }
    }

    #[test]
    fn both_ends_of_long_output_are_read_and_no_more() {
        let long = format!("first\n{}\nlast", "é\n".repeat(KEPT));
        let read = of(&long);
        assert_eq!((read[0].as_str(), read[read.len() - 1].as_str()), ("first", "last"));
        assert!(read.iter().map(String::len).sum::<usize>() <= 2 * KEPT + 1);
        assert!(of(&"é".repeat(5 * KEPT)).iter().map(String::len).sum::<usize>() <= 2 * KEPT + 1);
    }
}
