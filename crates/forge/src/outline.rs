//! The outline of Markdown that people wrote: headings, lists with their check boxes, other text.
//!
//! Quotes, tables and code are other text as a whole: a quoted list belongs to another text.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A bold line, which people use as a heading.
pub(crate) const BOLD: u8 = 7;
/// A line with a colon at its end, which may be one or only introduce a list.
pub(crate) const COLON: u8 = 8;

/// Deeper items belong to the text of this one, so that nested values stay small.
const DEEPEST: usize = 6;
const LONGEST_LABEL: usize = 80;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// In the source.
    pub(crate) range: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// `level` is 1 to 6, [`BOLD`] or [`COLON`].
    Heading {
        level: u8,
        text: String,
    },
    List(Vec<Item>),
    Text,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Item {
    /// Its first paragraph, on one line.
    pub(crate) text: String,
    /// `None` without a check box.
    pub(crate) done: Option<bool>,
    pub(crate) children: Vec<Item>,
    /// Its further paragraphs and code.
    pub(crate) rest: String,
    pub(crate) range: Range<usize>,
}

/// The blocks of `source` in order.
pub(crate) fn read(source: &str) -> Vec<Block> {
    let mut reader = Reader { source, ..Reader::default() };
    for (event, range) in parser(source).into_offset_iter() {
        reader.read(&event, range);
    }
    reader.blocks
}

/// The ranges of code, blocks and spans.
pub(crate) fn code(source: &str) -> Vec<Range<usize>> {
    let events = parser(source).into_offset_iter();
    let is_code =
        |event: &Event<'_>| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_)));
    events.filter(|(event, _)| is_code(event)).map(|(_, range)| range).collect()
}

fn parser(source: &str) -> Parser<'_> {
    let options =
        Options::ENABLE_TASKLISTS | Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    Parser::new_ext(source, options)
}

#[derive(Default)]
struct Reader<'s> {
    source: &'s str,
    blocks: Vec<Block>,
    /// Items that are open, the outermost first.
    open: Vec<OpenItem>,
    /// Items that are open beyond [`DEEPEST`].
    deeper: usize,
    /// The items of the outermost list that is open.
    items: Vec<Item>,
    /// Blocks that are open and whose contents are not read.
    opaque: usize,
    /// The paragraph or heading that is open.
    line: Option<Line>,
}

#[derive(Default)]
struct OpenItem {
    item: Item,
    /// The source of its first paragraph.
    text: Option<Range<usize>>,
    has_text: bool,
}

/// The text of a paragraph or heading, without markup.
#[derive(Default)]
struct Line {
    text: String,
    bold: usize,
    /// Letters outside of bold.
    plain: bool,
}

impl Reader<'_> {
    fn read(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) if self.opaque > 0 || is_opaque(tag) => {
                if self.opaque == 0 {
                    self.other(range);
                }
                self.opaque += usize::from(is_opaque(tag));
            }
            Event::End(end) if self.opaque > 0 => self.opaque -= usize::from(ends_opaque(*end)),
            _ if self.opaque > 0 => {}
            Event::Start(tag) => self.start(tag, range),
            Event::End(end) => self.end(*end, range),
            Event::TaskListMarker(done) => {
                if let Some(open) = self.open.last_mut().filter(|_| self.deeper == 0) {
                    open.item.done = Some(*done);
                }
            }
            Event::Rule => self.other(range),
            Event::Text(text) | Event::Code(text) => self.inline(text, range),
            Event::SoftBreak | Event::HardBreak => self.inline(" ", range),
            _ => self.inline("", range),
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph | Tag::Heading { .. } if self.open.is_empty() => {
                self.line = Some(Line::default());
            }
            Tag::Paragraph => {
                if self.open.last().is_some_and(|open| open.has_text) {
                    self.other(range);
                }
            }
            // Such as a heading within an item.
            Tag::Heading { .. } => self.other(range),
            Tag::List(_) => {
                if let Some(open) = self.open.last_mut() {
                    open.has_text = true;
                }
            }
            Tag::Item if self.open.len() == DEEPEST => self.deeper += 1,
            Tag::Item => {
                let item = Item { range, ..Item::default() };
                self.open.push(OpenItem { item, ..OpenItem::default() });
            }
            Tag::Strong => {
                self.inline("", range);
                if let Some(line) = &mut self.line {
                    line.bold += 1;
                }
            }
            _ => self.inline("", range),
        }
    }

    fn end(&mut self, end: TagEnd, range: Range<usize>) {
        match end {
            TagEnd::Strong => {
                if let Some(line) = &mut self.line {
                    line.bold = line.bold.saturating_sub(1);
                }
            }
            TagEnd::Paragraph | TagEnd::Heading(_) if self.open.is_empty() => {
                let line = self.line.take().unwrap_or_default();
                let level = match end {
                    TagEnd::Heading(level) => Some(number(level)),
                    _ => line.level(),
                };
                let text = line.text.trim().to_owned();
                let kind =
                    level.map_or(BlockKind::Text, |level| BlockKind::Heading { level, text });
                self.blocks.push(Block { kind, range });
            }
            TagEnd::Paragraph => {
                if let Some(open) = self.open.last_mut() {
                    open.has_text |= open.text.is_some();
                }
            }
            TagEnd::Item if self.deeper > 0 => self.deeper -= 1,
            TagEnd::Item => {
                let Some(OpenItem { mut item, text, .. }) = self.open.pop() else { return };
                item.text = one_line(&self.source[text.unwrap_or_default()]);
                match self.open.last_mut() {
                    Some(parent) => parent.item.children.push(item),
                    None => self.items.push(item),
                }
            }
            TagEnd::List(_) if self.open.is_empty() => {
                let kind = BlockKind::List(std::mem::take(&mut self.items));
                self.blocks.push(Block { kind, range });
            }
            _ => {}
        }
    }

    fn inline(&mut self, text: &str, range: Range<usize>) {
        if let Some(line) = &mut self.line {
            line.text.push_str(text);
            line.plain |= line.bold == 0 && text.contains(char::is_alphanumeric);
        }
        if let Some(open) = self.open.last_mut().filter(|open| !open.has_text) {
            // A link ends after its text.
            let known = open.text.take().unwrap_or_else(|| range.clone());
            open.text = Some(known.start..known.end.max(range.end));
        }
    }

    /// A block that is neither heading nor list.
    fn other(&mut self, range: Range<usize>) {
        match self.open.last_mut() {
            None => self.blocks.push(Block { kind: BlockKind::Text, range }),
            Some(open) => {
                open.has_text = true;
                open.item.rest.push_str(self.source[range].trim_end());
                open.item.rest.push_str("\n\n");
            }
        }
    }
}

impl Line {
    /// Of a paragraph that is used as a heading.
    fn level(&self) -> Option<u8> {
        let text = self.text.trim();
        let is_bold = !self.plain && text.contains(char::is_alphanumeric);
        match text.len() <= LONGEST_LABEL {
            true if is_bold => Some(BOLD),
            true if text.ends_with(':') => Some(COLON),
            _ => None,
        }
    }
}

/// What [`Reader::opaque`] counts.
fn is_opaque(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::BlockQuote(_) | Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Table(_))
}

fn ends_opaque(end: TagEnd) -> bool {
    matches!(end, TagEnd::BlockQuote(_) | TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::Table)
}

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
