//! Renders the Markdown of a report for a terminal: with styles instead of Markdown syntax.

use pulldown_cmark::{Alignment, Event, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthStr;

use crate::report::{Align, Column, Line, Look, Role, table, wrapped};

/// Sets commands off from text.
const COMMAND_INDENT: usize = 4;

pub(crate) fn terminal(markdown: &str, look: &Look) -> String {
    let mut renderer = MarkdownRenderer {
        look,
        lines: Vec::new(),
        spans: Vec::new(),
        role: Role::Plain,
        in_commands: false,
        depth: 0,
        begins_item: false,
        aligned: Vec::new(),
        rows: Vec::new(),
    };
    Parser::new_ext(markdown, Options::ENABLE_TABLES).for_each(|event| renderer.event(event));
    look.paint(&renderer.lines)
}

struct MarkdownRenderer<'l> {
    look: &'l Look,
    lines: Vec<Line>,
    /// Of the current paragraph, item or cell.
    spans: Vec<(Role, String)>,
    role: Role,
    in_commands: bool,
    /// Of nested lists.
    depth: usize,
    /// The next line starts an item.
    begins_item: bool,
    aligned: Vec<Alignment>,
    rows: Vec<Vec<String>>,
}

impl MarkdownRenderer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.in_commands => {
                let line = |text: &str| Line::indented(COMMAND_INDENT).with(Role::Accent, text);
                self.lines.extend(text.lines().map(line));
            }
            Event::Text(text) => self.spans.push((self.role, text.into_string())),
            Event::Code(text) => self.spans.push((Role::Accent, text.into_string())),
            Event::SoftBreak | Event::HardBreak => self.spans.push((Role::Plain, " ".into())),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                self.gap();
                self.role = Role::Strong;
            }
            Tag::Strong => self.role = Role::Strong,
            Tag::Paragraph if self.depth == 0 => self.gap(),
            Tag::List(_) => {
                self.flush();
                if self.depth == 0 {
                    self.gap();
                }
                self.depth += 1;
            }
            Tag::Item => self.begins_item = true,
            Tag::CodeBlock(_) => {
                self.gap();
                self.in_commands = true;
            }
            Tag::Table(aligned) => {
                self.gap();
                self.aligned = aligned;
            }
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.flush();
                self.role = Role::Plain;
            }
            TagEnd::Strong => self.role = Role::Plain,
            TagEnd::Paragraph | TagEnd::Item => self.flush(),
            TagEnd::List(_) => self.depth -= 1,
            TagEnd::CodeBlock => self.in_commands = false,
            TagEnd::TableCell => {
                let text = self.spans.drain(..).map(|(_, text)| text).collect();
                if let Some(row) = self.rows.last_mut() {
                    row.push(text);
                }
            }
            TagEnd::Table => self.table(),
            _ => {}
        }
    }

    fn gap(&mut self) {
        if self.lines.last().is_some_and(|line| line.width() > 0) {
            self.lines.push(Line::empty());
        }
    }

    /// Ends a paragraph or an item.
    fn flush(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        if spans.is_empty() {
            return;
        }
        let begins_item = std::mem::take(&mut self.begins_item);
        let indent = 2 * self.depth;
        let width = self.look.columns().saturating_sub(indent);
        let mut item = begins_item.then(|| Line::indented(indent - 2).with(Role::Dim, "- "));
        self.lines.extend(
            filled(&spans, width)
                .into_iter()
                .map(|line| item.take().unwrap_or_else(|| Line::indented(indent)).append(line)),
        );
    }

    /// The column with the longest text is flexible.
    fn table(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let Some((head, rows)) = rows.split_first() else { return };
        let longest = |at: usize| rows.iter().map(|row| row[at].width()).max();
        let flexible = (0..head.len()).max_by_key(|at| longest(*at));
        let column = |(at, name)| Column {
            name,
            align: match self.aligned.get(at) {
                _ if Some(at) == flexible => Align::Flexible,
                Some(Alignment::Right) => Align::Right,
                _ => Align::Left,
            },
            optional: false,
        };
        let columns: Vec<Column<'_>> =
            head.iter().map(String::as_str).enumerate().map(column).collect();
        let cell = |text: &String| (Role::Plain, text.clone());
        let rows: Vec<_> = rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        self.lines.extend(table(&columns, &rows, self.look, 0));
    }
}

/// Wraps at spaces if possible.
fn filled(spans: &[(Role, String)], width: usize) -> Vec<Line> {
    let text: String = spans.iter().map(|(_, text)| text.as_str()).collect();
    let mut after = 0;
    let line = |piece: &str| {
        let from = after + text[after..].find(piece).unwrap_or_default();
        after = from + piece.len();
        between(spans, from, after)
    };
    wrapped(&text, width).into_iter().map(line).collect()
}

/// The bytes of all spans from `from` to `to`, each in its role.
fn between(spans: &[(Role, String)], from: usize, to: usize) -> Line {
    let mut begins = 0;
    let mut line = Line::empty();
    for (role, text) in spans {
        let ends = begins + text.len();
        if from < ends && begins < to {
            line = line.with(*role, &text[from.max(begins) - begins..to.min(ends) - begins]);
        }
        begins = ends;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Marks, Palette};

    const REPORT: &str = "\
# Summary

**shop**: **complete** with `a_b` and 3 \\* 4.

- one item that is long
  - `inner`
- two

## Completed

| Story | Title | Cost |
|---|---|---:|
| US-1 | A title that is far too long \\| here | $0.42 |
| US-2 | Short | $12.00 |

```sh
git diff main...ralph/shop -- . ':!ralph'
```
";

    fn shown(width: usize, palette: Palette) -> String {
        let look = Look { palette, marks: Marks::ASCII, width: Some(width) };
        terminal(REPORT, &look)
    }

    #[test]
    fn markdown_syntax_is_removed_tables_fit_and_commands_are_not_cut() {
        let expected = "\
Summary

shop: complete with a_b and
3 * 4.

- one item that is long
  - inner
- two

Completed

Story  Title           Cost
US-1   A title t...   $0.42
US-2   Short         $12.00

    git diff main...ralph/shop -- . ':!ralph'
";
        assert_eq!(shown(27, Palette::plain()), expected);
    }

    #[test]
    fn headings_and_code_are_styled() {
        let palette = Palette { is_coloured: true };
        let text = shown(80, palette);
        let (bold, accent) = (palette.style(Role::Strong), palette.style(Role::Accent));
        use owo_colors::OwoColorize;
        for piece in ["Summary".style(bold), "complete".style(bold), "a_b".style(accent)] {
            assert!(text.contains(&piece.to_string()), "{piece}: {text}");
        }
        assert!(!text.contains("**") && !text.contains('`') && !text.contains("##"), "{text}");
    }
}
