//! The sections of a task list: what is below each heading of the highest level.

use super::outline::{self, Block, BlockKind, Item, LABEL};

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
    let title = document_title(&blocks);
    let has_title = title.is_some();
    // Headings of this level become stories.
    let top = levels(&blocks).skip(usize::from(has_title)).min().unwrap_or(0);
    let title = title.unwrap_or(name).to_owned();
    let mut sections = vec![Section { title, ..Section::default() }];
    for (position, block) in blocks.iter().enumerate() {
        if let BlockKind::Heading { level, text } = &block.kind
            && *level <= top
        {
            if position > 0 || !has_title {
                sections.push(Section { title: text.clone(), ..Section::default() });
            }
            continue;
        }
        let Some(section) = sections.last_mut() else { continue };
        match &block.kind {
            BlockKind::List(items) if !boxes(items).is_empty() => {
                section.items.extend(items.iter().cloned());
            }
            BlockKind::Heading { level, .. }
                if *level < LABEL && is_before_list(&blocks, position) => {}
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
        BlockKind::Heading { level, .. } if level < LABEL => Some(level),
        _ => None,
    })
}

/// The text of the first block, if it is a heading above all others.
fn document_title(blocks: &[Block]) -> Option<&str> {
    let Some(BlockKind::Heading { level, text }) = blocks.first().map(|block| &block.kind) else {
        return None;
    };
    let mut others = levels(blocks).skip(1).peekable();
    (others.peek().is_some() && others.all(|other| other > *level)).then_some(text)
}
