//! The body of an issue: description, acceptance criteria, and parts that are stories of their own.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::outline::{self, Block, BlockKind, COLON, Item, one_line};

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct IssueBody {
    /// Without the criteria and parts.
    pub(super) description: String,
    pub(super) criteria: Vec<String>,
    pub(super) parts: Vec<Part>,
    /// Whether the text says that the parts have an order.
    pub(super) in_order: bool,
}

/// A task of a list in an issue.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) title: String,
    pub(super) description: String,
    pub(super) criteria: Vec<String>,
    pub(super) is_done: bool,
    /// All of its text.
    pub(super) source: String,
}

const CRITERIA: [&str; 8] = [
    "acceptance criteria",
    "acceptance criterion",
    "acceptance",
    "criteria",
    "definition of done",
    "done when",
    "success criteria",
    "acceptance tests",
];

const PARTS: [&str; 9] = [
    "tasks",
    "task list",
    "stories",
    "user stories",
    "subtasks",
    "sub tasks",
    "todo",
    "to do",
    "implementation tasks",
];

static ORDER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b( in\s+(this|the\s+(given|following|listed|same))\s+order
        | one\s+after\s+(the\s+other|another) | sequential(ly)? | step\s+by\s+step
        | in\s+order\s*($|[.,;:)]) )",
    )
    .ok()
});

/// What the headings above a block say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Other,
    /// With the level of its heading.
    Criteria(u8),
    Parts(u8),
}

pub(super) fn read(text: &str) -> IssueBody {
    let blocks = outline::read(text);
    let has_criteria_list = blocks.windows(2).any(|pair| match (&pair[0].kind, &pair[1].kind) {
        (BlockKind::Heading { level, text }, BlockKind::List(_)) => {
            matches!(section_named(text, *level), Section::Criteria(_))
        }
        _ => false,
    });
    let (section, body) = (Section::Other, IssueBody::default());
    let mut reader = Reader { text, has_criteria_list, section, body, part: None };
    for (position, block) in blocks.iter().enumerate() {
        reader.read(block, blocks.get(position + 1));
    }
    reader.close_part();
    let description = reader.body.description.trim().to_owned();
    IssueBody { description, ..reader.body }
}

struct Reader<'t> {
    text: &'t str,
    /// Then check boxes elsewhere are none, such as those of an issue template.
    has_criteria_list: bool,
    section: Section,
    body: IssueBody,
    /// A part that began with a heading of this level.
    part: Option<(u8, Part)>,
}

impl Reader<'_> {
    fn read(&mut self, block: &Block, next: Option<&Block>) {
        match &block.kind {
            BlockKind::Heading { level, text } => self.heading(*level, text, &block.range, next),
            BlockKind::List(items) => self.list(items, &block.range),
            BlockKind::Text => self.text(&block.range),
        }
    }

    fn heading(&mut self, level: u8, text: &str, range: &Range<usize>, next: Option<&Block>) {
        let named = section_named(text, level);
        if level == COLON && named == Section::Other && self.section != Section::Criteria(COLON) {
            return self.text(range);
        }
        if named == Section::Other
            && let Section::Parts(of) = self.section
            && level > of
        {
            // Deeper headings within a part are text of it.
            if self.part.as_ref().is_some_and(|(own, _)| level > *own) {
                return self.text(range);
            }
            self.close_part();
            let part = Part { title: one_line(text), ..Part::default() };
            self.part = Some((level, part));
            return self.add_source(range);
        }
        if let (Some((own, _)), Section::Criteria(at)) = (&self.part, named)
            && at > *own
        {
            // Its lists are criteria of the part anyway.
            return;
        }
        let stays = matches!(self.section, Section::Criteria(of) if level > of);
        if named == Section::Other && stays {
            return self.text(range);
        }
        self.close_part();
        self.section = named;
        if matches!(named, Section::Parts(_)) {
            self.body.in_order |= says_order(text);
        }
        let is_list = |block: &Block| matches!(block.kind, BlockKind::List(_));
        let has_parts = |block: &Block| match &block.kind {
            BlockKind::Heading { level: deeper, .. } => *deeper > level,
            _ => false,
        };
        let is_used = match named {
            Section::Other => false,
            Section::Criteria(_) => next.is_some_and(is_list),
            Section::Parts(_) => next.is_some_and(|next| is_list(next) || has_parts(next)),
        };
        if !is_used {
            self.text(range);
        }
    }

    fn list(&mut self, items: &[Item], range: &Range<usize>) {
        if let Some((_, part)) = &mut self.part {
            part.criteria.extend(flattened(items));
            return self.add_source(range);
        }
        let boxed = items.iter().filter(|item| item.done.is_some()).count();
        let nested = items.iter().any(|item| !item.children.is_empty());
        match self.section {
            Section::Criteria(_) => self.body.criteria.extend(flattened(items)),
            Section::Parts(_) => self.parts(items),
            Section::Other if boxed > 1 && boxed == items.len() && nested => self.parts(items),
            Section::Other if boxed > 0 && !self.has_criteria_list => {
                self.body.criteria.extend(flattened(items));
            }
            Section::Other => self.text(range),
        }
    }

    fn parts(&mut self, items: &[Item]) {
        let text = self.text;
        self.body.parts.extend(items.iter().map(|item| Part {
            title: item.text.clone(),
            description: item.rest.trim().to_owned(),
            criteria: flattened(&item.children),
            is_done: item.done == Some(true),
            source: text[item.range.clone()].to_owned(),
        }));
    }

    fn text(&mut self, range: &Range<usize>) {
        let text = self.text[range.clone()].trim_end();
        if matches!(self.section, Section::Parts(_)) {
            self.body.in_order |= says_order(text);
        }
        let description = match &mut self.part {
            Some((_, part)) => &mut part.description,
            None => &mut self.body.description,
        };
        description.push_str(text);
        description.push_str("\n\n");
        self.add_source(range);
    }

    fn add_source(&mut self, range: &Range<usize>) {
        if let Some((_, part)) = &mut self.part {
            part.source.push_str(&self.text[range.clone()]);
            part.source.push('\n');
        }
    }

    fn close_part(&mut self) {
        if let Some((_, part)) = self.part.take() {
            self.body.parts.push(part);
        }
    }
}

/// Items with their children, in the order of the text. Only a text that ends in a colon is no criterion itself.
fn flattened(items: &[Item]) -> Vec<String> {
    let mut found = Vec::new();
    for item in items {
        let rest = one_line(&item.rest);
        let text = format!("{} {rest}", item.text);
        let introduces = item.text.ends_with(':') && !item.children.is_empty();
        if !introduces && !text.trim().is_empty() {
            found.push(text.trim().to_owned());
        }
        found.extend(flattened(&item.children));
    }
    found
}

/// By the words of a heading, without its punctuation and pictures.
fn section_named(heading: &str, level: u8) -> Section {
    let letters = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words = letters.collect::<Vec<_>>().join(" ").to_lowercase();
    let words = words.trim_end_matches(" in order").trim_end_matches(" in this order");
    if CRITERIA.contains(&words) || words.starts_with("acceptance criteria ") {
        Section::Criteria(level)
    } else if PARTS.contains(&words) {
        Section::Parts(level)
    } else {
        Section::Other
    }
}

fn says_order(text: &str) -> bool {
    ORDER.as_ref().is_some_and(|order| order.is_match(text))
}

#[cfg(test)]
mod tests;
