//! One line of output before it is painted: pieces of text and the roles they play.
//!
//! Text becomes harmless when it enters a line, so whatever is printed through one is harmless.

use owo_colors::OwoColorize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Palette, neutral};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    Strong,
    Dim,
    Accent,
    Good,
    Bad,
    Warn,
    /// What nobody may overlook.
    Alarm,
}

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
        let text = neutral::line(text.as_ref());
        if !text.is_empty() {
            self.spans.push((role, text));
        }
        self
    }

    /// The pieces with `separator` between them.
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
        self.spans.extend(other.spans);
        self
    }

    /// Without `by` of the spaces it begins with.
    pub(crate) fn without_indent(mut self, by: usize) -> Self {
        if let Some((_, text)) = self.spans.first_mut() {
            let spaces = text.len() - text.trim_start_matches(' ').len();
            text.drain(..by.min(spaces));
        }
        self
    }

    pub(crate) fn width(&self) -> usize {
        self.spans.iter().map(|(_, text)| text.width()).sum()
    }

    /// Not wider than `width`; what is cut off ends in `ellipsis`.
    pub(crate) fn cut(mut self, width: usize, ellipsis: &str) -> Self {
        if self.width() <= width {
            return self;
        }
        let ellipsis = if ellipsis.width() <= width { ellipsis } else { "" };
        let mut room = width - ellipsis.width();
        for at in 0..self.spans.len() {
            let (role, text) = &mut self.spans[at];
            let own = text.width();
            if own <= room {
                room -= own;
                continue;
            }
            let role = *role;
            text.truncate(fitting(text, room));
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

/// How many bytes of `text` fit into `room` columns.
pub(crate) fn fitting(text: &str, room: usize) -> usize {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > room {
            return at;
        }
    }
    text.len()
}

/// `text` in pieces of at most `width` columns, broken at spaces where there are some.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while rest.width() > width.max(1) {
        let fits = match fitting(rest, width.max(1)) {
            // A character wider than the room still has to go somewhere.
            0 => rest.chars().next().map_or(rest.len(), char::len_utf8),
            fits => fits,
        };
        let at_space = rest[..fits].rfind(' ').filter(|&at| !rest[..at].trim().is_empty());
        let end = if rest[fits..].starts_with(' ') { fits } else { at_space.unwrap_or(fits) };
        pieces.push(rest[..end].trim_end());
        rest = rest[end..].trim_start();
    }
    if !rest.is_empty() || pieces.is_empty() {
        pieces.push(rest);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(line: &Line) -> String {
        line.paint(&Palette::plain())
    }

    #[test]
    fn whatever_enters_a_line_is_harmless_and_only_the_palette_adds_escapes() {
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

    #[test]
    fn text_is_wrapped_at_spaces_where_there_are_some() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("    indented text", 12), ["    indented", "text"]);
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("", 4), [""]);
        assert_eq!(wrapped("日本", 1), ["日", "本"]);
    }
}
