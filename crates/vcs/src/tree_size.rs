//! Whether a walk through all paths of a tree comes to an end. A tree can have the same folder many times, so a few
//! objects can stand for more paths than any walk could visit.

use std::collections::HashMap;
use std::sync::Arc;

use crate::tree_object::{DEEPEST, EntryMode, TreeEntry};

/// Files and folders of a commit.
pub(crate) const MOST_PATHS: u64 = 2_000_000;

/// Too many paths, or folders in each other.
pub(crate) struct Endless;

/// Visits each tree once.
pub(crate) struct Survey<'t> {
    pub(crate) trees: &'t HashMap<String, Arc<[TreeEntry]>>,
    pub(crate) sizes: HashMap<&'t str, Size>,
    /// Trees that are not among `trees`.
    pub(crate) missing: Vec<String>,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Size {
    paths: u64,
    /// Folders in each other.
    height: usize,
}

impl<'t> Survey<'t> {
    pub(crate) fn size(&mut self, tree: &str, depth: usize) -> Result<Size, Endless> {
        if let Some(known) = self.sizes.get(tree) {
            return known.below(depth);
        }
        if depth > DEEPEST {
            return Err(Endless);
        }
        let Some((name, entries)) = self.trees.get_key_value(tree) else {
            self.missing.push(tree.to_owned());
            return Ok(Size::default());
        };
        let mut size = Size::default();
        for entry in entries.iter() {
            let inside = match entry.mode {
                EntryMode::Folder => self.size(&entry.id, depth + 1)?,
                _ => Size::default(),
            };
            size.paths += inside.paths + 1;
            size.height = size.height.max(inside.height + 1);
        }
        self.sizes.insert(name, size);
        size.below(depth)
    }
}

impl Size {
    fn below(self, depth: usize) -> Result<Self, Endless> {
        let is_endless = self.paths > MOST_PATHS || depth + self.height > DEEPEST;
        if is_endless { Err(Endless) } else { Ok(self) }
    }
}
