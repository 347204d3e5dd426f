//! Draws terminal rows as an SVG with real text. Each run of equal style has its own position, so
//! that columns align in any font. The SVG loads nothing and runs nothing.

use std::fmt::Write;

use vt100::{Cell, Color};

use crate::excerpt::ExcerptLine;
use crate::palette::{DARK, Fill, LIGHT, on_background, on_window};
use crate::rows::Row;

const FONT: &str = "ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace";
const FONT_SIZE: f32 = 14.0;
const CELL_WIDTH: f32 = 8.4;
const ROW_HEIGHT: f32 = 19.0;
/// From the top of a row to its baseline.
const BASELINE: f32 = 14.0;
const MARGIN: f32 = 18.0;
/// Height of the title bar.
const BAR: f32 = 40.0;

/// Title and description of a picture.
#[derive(Debug, Clone, Copy)]
pub struct Caption<'a> {
    /// For the title bar and screen readers.
    pub title: &'a str,
    /// For screen readers.
    pub description: &'a str,
}

#[must_use]
pub fn draw(lines: &[ExcerptLine<'_>], columns: u16, caption: Caption<'_>) -> String {
    let mut svg =
        window(length(columns.into(), CELL_WIDTH), length(lines.len(), ROW_HEIGHT), caption);
    for (at, line) in lines.iter().enumerate() {
        let top = BAR + length(at, ROW_HEIGHT);
        match line {
            ExcerptLine::Row(row) => draw_row(&mut svg, row, top),
            ExcerptLine::Gap => text(&mut svg, MARGIN, top, r#" class="text dim""#, "⋯"),
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// Everything before the rows.
fn window(columns: f32, rows: f32, caption: Caption<'_>) -> String {
    let (width, height) = (columns + 2.0 * MARGIN, BAR + rows + MARGIN);
    let (title, description) = (escaped(caption.title), escaped(caption.description));
    let (dark, light) = (DARK.rules(), LIGHT.rules());
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.1} {height:.1}" width="{width:.1}" height="{height:.1}" role="img" aria-labelledby="title description">
<title id="title">{title}</title>
<desc id="description">{description}</desc>
<style>
{dark}
.bold{{font-weight:700}}
.dim{{fill-opacity:.65}}
.italic{{font-style:italic}}
.underline{{text-decoration:underline}}
@media (prefers-color-scheme:light){{{light}}}
</style>
<rect class="frame" x="0.5" y="0.5" width="{inner_width:.1}" height="{inner_height:.1}" rx="10"/>
<circle cx="24" cy="20" r="6" fill="#ff5f57"/>
<circle cx="44" cy="20" r="6" fill="#febc2e"/>
<circle cx="64" cy="20" r="6" fill="#28c840"/>
<g font-family="{FONT}" font-size="{FONT_SIZE}">
<text x="{middle:.1}" y="25" text-anchor="middle" class="text dim">{title}</text>
"##,
        inner_width = width - 1.0,
        inner_height = height - 1.0,
        middle = width / 2.0,
    )
}

fn draw_row(svg: &mut String, row: &Row, top: f32) {
    for run in runs(row.cells()) {
        let left = MARGIN + length(run.column, CELL_WIDTH);
        let width = length(run.width, CELL_WIDTH);
        if let Some(behind) = &run.style.behind {
            let _ = writeln!(
                svg,
                r#"<rect x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{ROW_HEIGHT:.1}"{behind}/>"#
            );
        }
        let attributes = format!(
            r#"{} textLength="{width:.1}" lengthAdjust="spacingAndGlyphs""#,
            run.style.text_attributes
        );
        text(svg, left, top, &attributes, &run.text);
    }
}

fn text(svg: &mut String, left: f32, top: f32, attributes: &str, text: &str) {
    let (y, text) = (top + BASELINE, escaped(text));
    let _ = writeln!(svg, r#"<text x="{left:.1}" y="{y:.1}"{attributes}>{text}</text>"#);
}

/// Attributes of an element, each after a blank.
#[derive(PartialEq, Eq)]
struct CellStyle {
    text_attributes: String,
    /// `None` for the window background.
    behind: Option<String>,
}

impl CellStyle {
    fn of(cell: &Cell) -> Self {
        let plain = cell.bgcolor() == Color::Default && !cell.inverse();
        let fill = if plain { on_window } else { on_background };
        let (mut text_attributes, mut behind) =
            (fill(cell.fgcolor(), "text"), fill(cell.bgcolor(), "window"));
        if cell.inverse() {
            std::mem::swap(&mut text_attributes, &mut behind);
        }
        let styles = [
            (cell.bold(), "bold"),
            (cell.dim(), "dim"),
            (cell.italic(), "italic"),
            (cell.underline(), "underline"),
        ];
        let styles = styles.into_iter().filter_map(|(has, class)| has.then_some(class)).collect();
        Self {
            text_attributes: attributes(text_attributes, styles),
            behind: (!plain).then(|| attributes(behind, Vec::new())),
        }
    }
}

fn attributes(fill: Fill, styles: Vec<&str>) -> String {
    let (classes, value) = match fill {
        Fill::Class(class) => (vec![class], String::new()),
        Fill::Value(value) => (Vec::new(), format!(r#" style="fill:{value}""#)),
    };
    let classes: Vec<String> =
        classes.into_iter().chain(styles.into_iter().map(str::to_owned)).collect();
    match classes.is_empty() {
        true => value,
        false => format!(r#" class="{}"{value}"#, classes.join(" ")),
    }
}

/// Adjacent cells of one style.
struct StyleRun {
    column: usize,
    width: usize,
    text: String,
    style: CellStyle,
}

impl StyleRun {
    fn end(&self) -> usize {
        self.column + self.width
    }
}

/// Omits blanks on the window background, except a single one between two words.
fn runs(cells: &[Cell]) -> Vec<StyleRun> {
    let mut runs: Vec<StyleRun> = Vec::new();
    for (column, cell) in cells.iter().enumerate() {
        if cell.is_wide_continuation() {
            continue;
        }
        let style = CellStyle::of(cell);
        let blank = cell.contents().trim().is_empty();
        if blank && style.behind.is_none() {
            continue;
        }
        let width = if cell.is_wide() { 2 } else { 1 };
        let text = if blank { " " } else { cell.contents() };
        // A font may draw a wide character in any width, so the following text gets its own
        // position.
        let alone =
            |last: &StyleRun| cell.is_wide() || cells[last.end() - 1].is_wide_continuation();
        let last = runs.last_mut().filter(|last| last.style == style && !alone(last));
        match last {
            Some(last) if last.end() == column => {
                last.width += width;
                last.text.push_str(text);
            }
            Some(last) if last.end() + 1 == column && last.style.behind.is_none() => {
                last.width += width + 1;
                last.text.push(' ');
                last.text.push_str(text);
            }
            _ => runs.push(StyleRun { column, width, text: text.to_owned(), style }),
        }
    }
    runs
}

#[expect(clippy::cast_precision_loss, reason = "no picture has millions of rows or columns")]
fn length(count: usize, of_one: f32) -> f32 {
    count as f32 * of_one
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use roxmltree::{Document, Node};
    use vt100::Parser;

    use super::*;
    use crate::excerpt;
    use crate::rows;

    const COLUMNS: u16 = 40;

    /// The texts of one line: start and length in cells, and attributes.
    fn drawn<T>(printed: &str, style: impl Fn(Node<'_, '_>) -> T) -> Vec<T> {
        let mut terminal = Parser::new(4, COLUMNS, 0);
        terminal.process(printed.as_bytes());
        let rows = rows::all(&mut terminal);
        let lines = excerpt::choose(&rows, &[]).unwrap();
        let svg = draw(&lines, COLUMNS, Caption { title: "a <b> & \"c\"", description: "" });
        let document = Document::parse(&svg).unwrap();
        let texts = document.descendants().filter(|node| node.has_attribute("textLength"));
        texts.map(style).collect()
    }

    fn cell(node: Node<'_, '_>, attribute: &str, offset: f32) -> u16 {
        let at: f32 = node.attribute(attribute).unwrap().parse().unwrap();
        let cell = (at - offset) / CELL_WIDTH;
        (0..=COLUMNS).find(|column| (f32::from(*column) - cell).abs() < 0.02).unwrap()
    }

    fn places(printed: &str) -> Vec<(u16, u16, String)> {
        drawn(printed, |node| {
            let text = node.text().unwrap().to_owned();
            (cell(node, "x", MARGIN), cell(node, "textLength", 0.0), text)
        })
    }

    fn classes(printed: &str) -> Vec<String> {
        drawn(printed, |node| node.attribute("class").unwrap_or("none").to_owned())
    }

    #[test]
    fn text_of_one_style_is_one_element_and_columns_align() {
        let expected = [(2, 7, "one two".to_owned()), (12, 5, "three".to_owned())];
        assert_eq!(places("  one two   three"), expected);
    }

    #[test]
    fn a_wide_character_takes_two_cells() {
        let expected = [(0, 1, "a".into()), (1, 2, "\u{2705}".into()), (3, 1, "b".to_owned())];
        assert_eq!(places("a\u{2705}b"), expected);
        assert_eq!(places("\u{2705} b")[1], (3, 1, "b".into()));
    }

    #[test]
    fn text_that_looks_like_markup_stays_text() {
        assert_eq!(places("<promise> & \"so\"")[0].2, "<promise> & \"so\"");
    }

    #[test]
    fn colours_and_styles_become_classes() {
        let printed = "\x1b[1;31mred\x1b[0m \x1b[2mdim\x1b[0m \x1b[3;4;38;5;12mlink\x1b[0m";
        assert_eq!(classes(printed), ["c1 bold", "text dim", "c12 italic underline"]);
    }

    #[test]
    fn a_custom_colour_is_unchanged() {
        let style = |node: Node<'_, '_>| node.attribute("style").unwrap_or("none").to_owned();
        let printed = "\x1b[38;5;196mcube\x1b[0m \x1b[38;5;255mgrey\x1b[0m \x1b[38;2;1;2;3mrgb";
        assert_eq!(drawn(printed, style), ["fill:#ff0000", "fill:#eeeeee", "fill:#010203"]);
    }

    #[test]
    fn a_background_covers_all_of_its_cells() {
        let behind = |node: Node<'_, '_>| {
            let rect = node.prev_sibling_element().unwrap();
            (rect.attribute("style").unwrap().to_owned(), cell(rect, "width", 0.0))
        };
        assert_eq!(drawn("\x1b[97;41m on  it ", behind), [("fill:#cf222e".to_owned(), 8)]);
        assert_eq!(classes("\x1b[7mturned"), ["window"]);
    }
}
