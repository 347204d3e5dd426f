//! One line of output before it is painted: spans of text with roles.
//!
//! Text is sanitized when it is added to a line.

use owo_colors::OwoColorize;
use sanitize::fitting;
pub(crate) use sanitize::wrapped;
use unicode_width::UnicodeWidthStr;

use super::{Palette, Role};

#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    spans: Vec<(Role, String)>,
}

impl Line {
    pub(crate) fn empty() -> Self {
        Self::default()
    }

    pub(crate) fn indented(by: usize) -> Self {
        Self::default().with(Role::Plain, " ".repeat(by))
    }

    pub(crate) fn with(mut self, role: Role, text: impl AsRef<str>) -> Self {
        let text = sanitize::line(text.as_ref());
        match self.spans.last_mut() {
            _ if text.is_empty() => {}
            Some((last, before)) if *last == role => before.push_str(&text),
            _ => self.spans.push((role, text)),
        }
        self
    }

    pub(crate) fn joined(
        mut self,
        separator: &str,
        pieces: impl IntoIterator<Item = (Role, String)>,
    ) -> Self {
        for (position, (role, text)) in pieces.into_iter().enumerate() {
            if position > 0 {
                self = self.with(Role::Dim, format!(" {separator} "));
            }
            self = self.with(role, text);
        }
        self
    }

    pub(crate) fn append(mut self, other: Self) -> Self {
        for (role, text) in other.spans {
            self = self.with(role, text);
        }
        self
    }

    pub(crate) fn width(&self) -> usize {
        self.spans.iter().map(|(_, text)| text.width()).sum()
    }

    /// Cut to `width`, with `ellipsis` at the end of a cut line.
    pub(crate) fn cut(mut self, width: usize, ellipsis: &str) -> Self {
        if self.width() <= width {
            return self;
        }
        let ellipsis = if ellipsis.width() <= width { ellipsis } else { "" };
        let mut left = width - ellipsis.width();
        for at in 0..self.spans.len() {
            let (role, text) = &mut self.spans[at];
            let own = text.width();
            if own <= left {
                left -= own;
                continue;
            }
            let role = *role;
            text.truncate(fitting(text, left));
            text.truncate(text.trim_end().len());
            self.spans.truncate(at + 1);
            return self.with(role, ellipsis);
        }
        self
    }

    pub(crate) fn paint(&self, palette: &Palette) -> String {
        let painted = self.spans.iter().map(|(role, text)| {
            let style = palette.style(*role);
            if style.is_plain() { text.clone() } else { text.style(style).to_string() }
        });
        painted.collect::<String>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(line: &Line) -> String {
        line.paint(&Palette::plain())
    }

    #[test]
    fn text_is_sanitized_and_only_the_palette_adds_escapes() {
        let line = Line::empty().with(Role::Bad, "a\x1b[2J\nb");
        assert_eq!(plain(&line), "a b");
        assert_eq!(
            line.paint(&Palette::coloured()),
            "\u{1b}[31ma b\u{1b}[39m".replace("39m", "0m")
        );
    }

    #[test]
    fn a_cut_counts_columns_and_not_characters() {
        let line = Line::empty().with(Role::Strong, "日本語").with(Role::Plain, " text");
        assert_eq!(line.width(), 11);
        assert_eq!(plain(&line.clone().cut(11, "…")), "日本語 text");
        assert_eq!(plain(&line.clone().cut(10, "…")), "日本語 te…");
        assert_eq!(plain(&line.clone().cut(6, "…")), "日本…");
        assert_eq!(plain(&line.clone().cut(2, "...")), "日");
        assert_eq!(plain(&line.cut(0, "…")), "");
    }
}
