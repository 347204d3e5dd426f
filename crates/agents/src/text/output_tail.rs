//! Keeps the end of an output of any length.

/// The kept length.
const MOST_BYTES: usize = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct OutputTail(String);

impl OutputTail {
    pub(super) fn push(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
        // Not for each line, because it moves the rest.
        if self.0.len() > 2 * MOST_BYTES {
            self.cut();
        }
    }

    pub(super) fn text(&mut self) -> String {
        self.cut();
        self.0.trim().to_owned()
    }

    /// Cuts at the start of a line, because half a line can have another meaning.
    fn cut(&mut self) {
        let Some(start) = self.0.len().checked_sub(MOST_BYTES) else { return };
        let start = match self.0.as_bytes()[start..].iter().position(|byte| *byte == b'\n') {
            Some(end) if start + end + 1 < self.0.len() => start + end + 1,
            _ => (start..).find(|at| self.0.is_char_boundary(*at)).unwrap_or(start),
        };
        self.0.drain(..start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
        let mut kept = OutputTail::default();
        lines.into_iter().for_each(|line| kept.push(line));
        kept.text()
    }

    #[test]
    fn all_of_a_short_one() {
        assert_eq!(kept(["a", "", "b"]), "a\n\nb");
        assert_eq!(kept([]), "");
    }

    #[test]
    fn the_end_of_a_long_one() {
        let long = "ä".repeat(1000);
        let text = kept(std::iter::repeat_n(&*long, 5000).chain(["last"]));
        assert!(text.len() <= MOST_BYTES && text.len() > MOST_BYTES - 3000, "{}", text.len());
        assert!(text.ends_with("\nlast"));
        assert!(text.lines().all(|line| line == long || line == "last"), "no half line");
    }

    #[test]
    fn one_line_without_end() {
        let text = kept([&*"ä".repeat(3 << 20)]);
        assert!(text.len() <= MOST_BYTES && text.starts_with('ä'));
    }

    #[test]
    fn half_a_line_is_ignored() {
        let mention = "see <promise>COMPLETE</promise>";
        let rest = "x".repeat(MOST_BYTES - "<promise>COMPLETE</promise>".len() - 2);
        assert_eq!(kept([mention, &rest]), rest);
    }
}
