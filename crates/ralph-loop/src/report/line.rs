//! One line of output before it is painted: spans of text with roles.
//!
//! Text is sanitized when it is added to a line.

use owo_colors::OwoColorize;
use sanitize::{fitting, wrapped};
use unicode_width::UnicodeWidthStr;

use super::{Palette, Role};

/// The first `most` characters, with `ellipsis` behind a text that is longer.
pub(crate) fn beginning(text: &str, most: usize, ellipsis: &str) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}{ellipsis}", &text[..end]),
        None => text.to_owned(),
    }
}

/// The minimum width of wrapped text.
const NARROWEST: usize = 20;

#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    spans: Vec<(Role, String)>,
}

impl Line {
    pub(crate) fn empty() -> Self {
        Self::default()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    pub(crate) fn text(role: Role, text: impl AsRef<str>) -> Self {
        Self::default().with(role, text)
    }

    pub(crate) fn indented(by: usize) -> Self {
        Self::text(Role::Plain, " ".repeat(by))
    }

    pub(crate) fn with(self, role: Role, text: impl AsRef<str>) -> Self {
        self.with_sanitized(role, sanitize::line(text.as_ref()))
    }

    fn with_sanitized(mut self, role: Role, text: String) -> Self {
        match self.spans.last_mut() {
            _ if text.is_empty() => {}
            Some((last, before)) if *last == role => before.push_str(&text),
            _ => self.spans.push((role, text)),
        }
        self
    }

    pub(crate) fn joined(
        self,
        separator: &str,
        pieces: impl IntoIterator<Item = (Role, String)>,
    ) -> Self {
        let separator = format!(" {separator} ");
        pieces.into_iter().enumerate().fold(self, |line, (position, (role, text))| {
            line.with(Role::Dim, if position > 0 { &separator } else { "" }).with(role, text)
        })
    }

    pub(crate) fn append(self, other: Self) -> Self {
        other.spans.into_iter().fold(self, |line, (role, text)| line.with_sanitized(role, text))
    }

    pub(crate) fn width(&self) -> usize {
        self.spans.iter().map(|(_, text)| text.width()).sum()
    }

    /// At least the width, and faster.
    fn bytes(&self) -> usize {
        self.spans.iter().map(|(_, text)| text.len()).sum()
    }

    /// Cut to `width`, with `ellipsis` at the end of a cut line.
    pub(crate) fn cut(self, width: usize, ellipsis: &str) -> Self {
        if self.bytes() <= width || self.width() <= width {
            return self;
        }
        let ellipsis = if ellipsis.width() <= width { ellipsis } else { "" };
        let mut left = width - ellipsis.width();
        let mut cut = Self::empty();
        for (role, text) in self.spans {
            let own = text.width();
            if own > left {
                let fits = text[..fitting(&text, left)].trim_end();
                return cut.with(role, fits).with(role, ellipsis);
            }
            left -= own;
            cut = cut.with(role, text);
        }
        cut
    }

    /// `text` after this line, wrapped to `width`; the lines below begin at `indent`.
    pub(crate) fn paragraph(
        self,
        indent: usize,
        role: Role,
        text: &str,
        width: usize,
    ) -> Vec<Self> {
        let text = sanitize::line(text);
        let space = width.saturating_sub(indent.max(self.width())).max(NARROWEST);
        let mut start = Some(self);
        let line = |piece| start.take().unwrap_or_else(|| Self::indented(indent)).with(role, piece);
        wrapped(&text, space).into_iter().map(line).collect()
    }

    pub(crate) fn paint(&self, palette: &Palette) -> String {
        let painted = self.spans.iter().map(|(role, text)| match palette.style(*role) {
            style if style.is_plain() => text.clone(),
            style => text.style(style).to_string(),
        });
        painted.collect()
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
            line.paint(&Palette { is_coloured: true }),
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
