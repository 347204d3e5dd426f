//! The sections of a task list: what is below each heading of the highest level.

use super::outline::{self, BOLD, Block, BlockKind, Item};

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) title: String,
    /// Without its check boxes.
    pub(super) text: String,
    /// Of the lists with check boxes.
    pub(super) items: Vec<Item>,
}

impl Section {
    pub(super) fn boxes(&self) -> Vec<&Item> {
        boxes(&self.items)
    }

    pub(super) fn done(&self) -> Vec<&Item> {
        self.boxes().into_iter().filter(|item| item.done == Some(true)).collect()
    }

    pub(super) fn has_text(&self) -> bool {
        self.text.contains(char::is_alphanumeric)
    }
}

fn boxes(items: &[Item]) -> Vec<&Item> {
    let mut found = Vec::new();
    for item in items {
        found.extend(item.done.map(|_| item));
        found.extend(boxes(&item.children));
    }
    found
}

/// `name` is the title of what is below no heading.
pub(super) fn sections(text: &str, name: &str) -> Vec<Section> {
    let blocks = outline::read(text);
    // Headings of this level become stories. The first one may be the title of the document, above them.
    let mut levels = levels(&blocks);
    let first = levels.next();
    let top = levels.min().or(first).unwrap_or(0);
    let mut sections = vec![Section { title: name.to_owned(), ..Section::default() }];
    for (position, block) in blocks.iter().enumerate() {
        if let BlockKind::Heading { level, text } = &block.kind
            && *level <= top
        {
            sections.push(Section { title: text.clone(), ..Section::default() });
            continue;
        }
        let Some(section) = sections.last_mut() else { continue };
        match &block.kind {
            BlockKind::List(items) if !boxes(items).is_empty() => {
                section.items.extend(items.iter().cloned());
            }
            BlockKind::Heading { level, .. }
                if *level < BOLD && is_before_list(&blocks, position) => {}
            _ => {
                section.text.push_str(text[block.range.clone()].trim_end());
                section.text.push_str("\n\n");
            }
        }
    }
    sections
}

/// Such as `### Tests for User Story 1`, whose tasks become criteria.
fn is_before_list(blocks: &[Block], position: usize) -> bool {
    blocks.get(position + 1).is_some_and(|next| matches!(next.kind, BlockKind::List(_)))
}

fn levels(blocks: &[Block]) -> impl Iterator<Item = u8> {
    blocks.iter().filter_map(|block| match block.kind {
        BlockKind::Heading { level, .. } if level < BOLD => Some(level),
        _ => None,
    })
}
