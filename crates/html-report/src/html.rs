//! Builds HTML; the only place where text becomes part of a page.
//!
//! An `Html` consists of elements with constant names, and of text, which is sanitized and escaped. Style
//! and script are constant. The output is also well-formed XML, so that tests can parse it.

use std::fmt::{Display, Write};

use crate::{script, style};

/// The longest line in characters; a longer one is cut and ends with an ellipsis.
const LONGEST: usize = 2_000;
/// The maximum number of lines of a block.
const MOST_LINES: usize = 400;

/// Elements without contents.
const VOID: [&str; 7] = ["br", "circle", "input", "line", "meta", "path", "rect"];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Html(String);

#[derive(Debug)]
pub(crate) struct Element {
    name: &'static str,
    attributes: String,
    contents: String,
}

pub(crate) fn element(name: &'static str) -> Element {
    Element { name, attributes: String::new(), contents: String::new() }
}

/// Text with its line breaks.
pub(crate) fn block(text: &str) -> Html {
    let lines = sanitize::block(text);
    let more = lines.len().saturating_sub(MOST_LINES);
    let mut out = String::new();
    for (number, line) in lines.iter().take(MOST_LINES).enumerate() {
        if number > 0 {
            out.push('\n');
        }
        push_text(&mut out, line);
    }
    if more > 0 {
        let _ = write!(out, "\n… {more} more lines");
    }
    Html(out)
}

pub(crate) fn stylesheet() -> Html {
    Html(format!("<style>{}</style>", style::text()))
}

pub(crate) fn live_script() -> Html {
    Html(format!("<script>{}</script>", script::text()))
}

impl Html {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl Element {
    pub(crate) fn attr(mut self, name: &'static str, value: impl Display) -> Self {
        let _ = write!(self.attributes, " {name}=\"");
        push_text(&mut self.attributes, &value.to_string());
        self.attributes.push('"');
        self
    }

    /// The attribute `d` of a path, which is not cut.
    pub(crate) fn path_data(mut self, steps: &str) -> Self {
        self.attributes.push_str(" d=\"");
        push_escaped(&mut self.attributes, steps);
        self.attributes.push('"');
        self
    }

    pub(crate) fn class(self, classes: impl Display) -> Self {
        self.attr("class", classes)
    }

    pub(crate) fn id(self, id: impl Display) -> Self {
        self.attr("id", id)
    }

    pub(crate) fn add(mut self, contents: impl Into<Html>) -> Self {
        self.contents.push_str(&contents.into().0);
        self
    }

    pub(crate) fn add_all<I>(self, contents: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<Html>,
    {
        contents.into_iter().fold(self, Self::add)
    }
}

impl From<Element> for Html {
    fn from(element: Element) -> Self {
        let Element { name, attributes, contents } = element;
        if VOID.contains(&name) && contents.is_empty() {
            return Self(format!("<{name}{attributes} />"));
        }
        Self(format!("<{name}{attributes}>{contents}</{name}>"))
    }
}

impl<T: Into<Html>> From<Option<T>> for Html {
    fn from(contents: Option<T>) -> Self {
        contents.map(Into::into).unwrap_or_default()
    }
}

/// On one line.
impl From<&str> for Html {
    fn from(text: &str) -> Self {
        let mut out = String::with_capacity(text.len());
        push_text(&mut out, text);
        Self(out)
    }
}

impl From<&String> for Html {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<String> for Html {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<u64> for Html {
    fn from(number: u64) -> Self {
        Self(number.to_string())
    }
}

fn push_text(out: &mut String, text: &str) {
    let cut = text.char_indices().nth(LONGEST).map(|(at, _)| at);
    push_escaped(out, &text[..cut.unwrap_or(text.len())]);
    if cut.is_some() {
        out.push('…');
    }
}

fn push_escaped(out: &mut String, text: &str) {
    for c in sanitize::line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Not allowed in XML.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(html: impl Into<Html>) -> String {
        html.into().into_string()
    }

    #[test]
    fn text_and_attributes_are_escaped() {
        let hostile = "</p><script>alert('x')</script>\"&amp;]]>";
        let page = written(element("p").attr("title", hostile).add(hostile));
        assert_eq!(page.matches('<').count(), 2, "{page}");
        assert_eq!(page.matches('"').count(), 2, "{page}");
        assert!(page.contains("&quot;&amp;amp;]]&gt;</p>"), "{page}");
    }

    #[test]
    fn control_characters_are_replaced() {
        let page = written("a\x1b[31mb\0c\u{202e}d\ne\u{ffff}\u{7}");
        assert_eq!(page, "ab\u{fffd}c\u{fffd}d e\u{fffd}\u{fffd}");
    }

    #[test]
    fn a_block_keeps_its_lines_and_an_end() {
        assert_eq!(written(block("a <b>\n\tc\n")), "a &lt;b&gt;\n    c");
        let long = written(block(&"x\n".repeat(MOST_LINES + 5)));
        assert!(long.ends_with("x\n… 5 more lines"), "{long}");
    }

    #[test]
    fn a_huge_line_is_cut() {
        let page = written("é".repeat(1 << 20));
        assert_eq!(page.chars().count(), LONGEST + 1);
        assert!(page.ends_with('…'));
    }

    #[test]
    fn only_elements_without_contents_close_themselves() {
        assert_eq!(written(element("br")), "<br />");
        assert_eq!(written(element("td")), "<td></td>");
        assert_eq!(
            written(element("rect").add(element("title").add("x"))),
            "<rect><title>x</title></rect>"
        );
    }
}
