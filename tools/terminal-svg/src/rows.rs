//! The rows of a terminal, including those that scrolled away.

use vt100::{Cell, Parser};

/// All cells of the row.
#[derive(Debug, Clone)]
pub struct Row(Vec<Cell>);

impl Row {
    /// Without trailing blanks.
    #[must_use]
    pub fn text(&self) -> String {
        let shown = self.0.iter().filter(|cell| !cell.is_wide_continuation());
        let text: String =
            shown.map(|cell| if cell.has_contents() { cell.contents() } else { " " }).collect();
        text.trim_end().to_owned()
    }

    pub(crate) fn cells(&self) -> &[Cell] {
        &self.0
    }
}

/// From the first printed row to the last one that is not blank.
#[must_use]
pub fn all(terminal: &mut Parser) -> Vec<Row> {
    let (height, _) = terminal.screen().size();
    terminal.screen_mut().set_scrollback(usize::MAX);
    let scrolled_away = terminal.screen().scrollback();
    let mut rows = Vec::new();
    for offset in (1..=scrolled_away).rev() {
        terminal.screen_mut().set_scrollback(offset);
        rows.push(row(terminal, 0));
    }
    terminal.screen_mut().set_scrollback(0);
    rows.extend((0..height).map(|at| row(terminal, at)));
    let end = rows.iter().rposition(|row| !row.text().is_empty()).map_or(0, |last| last + 1);
    rows.truncate(end);
    rows
}

fn row(terminal: &Parser, at: u16) -> Row {
    let (_, width) = terminal.screen().size();
    Row((0..width).filter_map(|column| terminal.screen().cell(at, column).cloned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(printed: &str) -> Vec<String> {
        let mut terminal = Parser::new(3, 10, 100);
        terminal.process(printed.as_bytes());
        all(&mut terminal).iter().map(Row::text).collect()
    }

    #[test]
    fn rows_that_scrolled_away_come_first_and_each_comes_once() {
        let seven = ["one", "two", "three", "four", "five", "six", "seven"];
        assert_eq!(texts(&seven.join("\r\n")), seven);
    }

    #[test]
    fn blank_rows_at_the_end_are_nothing_to_see() {
        assert_eq!(texts("one\r\n\r\ntwo\r\n"), ["one", "", "two"]);
        assert!(texts("").is_empty());
    }

    #[test]
    fn a_row_has_its_last_text() {
        assert_eq!(texts("waiting\r\x1b[Kdone"), ["done"]);
    }

    #[test]
    fn a_wide_character_occurs_once() {
        assert_eq!(texts("a\u{6f22}b"), ["a\u{6f22}b"]);
    }
}
