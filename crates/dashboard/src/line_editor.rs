//! A single-line text editor.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use unicode_width::UnicodeWidthChar;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LineEditor {
    text: Vec<char>,
    cursor: usize,
}

impl LineEditor {
    pub(crate) fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// The visible text in `space` columns, and the column of the cursor. Text before the cursor scrolls out.
    pub(crate) fn seen(&self, space: usize) -> (String, usize) {
        let wide = |c: &char| c.width().unwrap_or(0);
        let mut column = 0;
        let before = self.text[..self.cursor].iter().rev().take_while(|c| {
            column += wide(c);
            column <= space
        });
        let first = self.cursor - before.count();
        let before = self.text[first..self.cursor].iter().map(wide).sum();
        // A terminal line has no more visible characters.
        (self.text[first..].iter().take(self.cursor - first + space).collect(), before)
    }

    pub(crate) fn insert(&mut self, text: &str) {
        // Pasted lines are joined.
        let one_line = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c });
        let before = self.text.len();
        self.text.splice(self.cursor..self.cursor, one_line.filter(|c| !c.is_control()));
        self.cursor += self.text.len() - before;
    }

    pub(crate) fn key(&mut self, key: KeyEvent) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('a') if control => self.cursor = 0,
            KeyCode::Char('e') if control => self.cursor = self.text.len(),
            KeyCode::Char('u') if control => {
                self.text.drain(..self.cursor);
                self.cursor = 0;
            }
            KeyCode::Char('w') if control => self.delete_word(),
            KeyCode::Char(c) if !control => self.insert(c.encode_utf8(&mut [0; 4])),
            KeyCode::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.text.remove(self.cursor);
            }
            KeyCode::Delete if self.cursor < self.text.len() => {
                self.text.remove(self.cursor);
            }
            KeyCode::Left => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Right => self.cursor = (self.cursor + 1).min(self.text.len()),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            _ => {}
        }
    }

    fn delete_word(&mut self) {
        let before = &self.text[..self.cursor];
        let word_ends = before.iter().rposition(|&c| c != ' ').map_or(0, |at| at + 1);
        let begins = before[..word_ends].iter().rposition(|&c| c == ' ').map_or(0, |at| at + 1);
        self.text.drain(begins..self.cursor);
        self.cursor = begins;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_line_shows_the_text_before_the_cursor() {
        let mut line = LineEditor::default();
        line.insert("ab日本");
        assert_eq!(line.seen(20), ("ab日本".to_owned(), 6));
        assert_eq!(line.seen(5), ("b日本".to_owned(), 5));
        line.key(KeyEvent::new(KeyCode::Left, KeyModifiers::NONE));
        assert_eq!(line.seen(3), ("b日本".to_owned(), 3));
        line.key(KeyEvent::new(KeyCode::Home, KeyModifiers::NONE));
        let began = std::time::Instant::now();
        line.insert(&"x".repeat(300_000));
        for _ in 0..20 {
            assert_eq!(line.seen(60).1, 60);
        }
        assert!(began.elapsed() < std::time::Duration::from_secs(30), "{:?}", began.elapsed());
        assert!(line.text().ends_with("xab日本"));
    }

    #[test]
    fn a_line_is_edited_where_the_cursor_is() {
        let mut line = LineEditor::default();
        let mut press = |code, modifiers| {
            line.key(KeyEvent::new(code, modifiers));
            (line.text(), line.text[..line.cursor].iter().collect::<String>())
        };
        let none = KeyModifiers::NONE;
        for c in "use täbs now".chars() {
            press(KeyCode::Char(c), none);
        }
        assert_eq!(press(KeyCode::Char('w'), KeyModifiers::CONTROL).0, "use täbs ");
        assert_eq!(press(KeyCode::Backspace, none).0, "use täbs");
        assert_eq!(press(KeyCode::Left, none).1, "use täb");
        assert_eq!(press(KeyCode::Delete, none).0, "use täb");
        assert_eq!(press(KeyCode::Home, none).1, "");
        assert_eq!(press(KeyCode::Backspace, none).0, "use täb");
        assert_eq!(press(KeyCode::Right, none).1, "u");
        assert_eq!(press(KeyCode::Char('u'), KeyModifiers::CONTROL).0, "se täb");
        assert_eq!(press(KeyCode::End, none).1, "se täb");
        assert_eq!(press(KeyCode::Char('a'), KeyModifiers::CONTROL).1, "");
        assert_eq!(press(KeyCode::Char('e'), KeyModifiers::CONTROL).1, "se täb");
    }

    #[test]
    fn pasted_text_becomes_one_line() {
        let mut line = LineEditor::default();
        line.insert("a\nb\x1b\tc");
        assert_eq!(line.text(), "a b c");
    }
}
