//! Checks that a walk over all paths of a tree finishes. A tree can reuse subtrees, so few objects
//! can form a huge number of paths.

use std::collections::HashMap;
use std::sync::Arc;

use crate::tree_object::{DEEPEST, EntryMode, TreeEntry};

/// Limit of files and folders of a commit.
pub(crate) const MOST_PATHS: u64 = 2_000_000;

/// Too many paths or too deep.
pub(crate) struct TreeTooLarge;

/// Visits each tree once.
pub(crate) struct TreeSizes<'t> {
    pub(crate) trees: &'t HashMap<String, Arc<[TreeEntry]>>,
    pub(crate) sizes: HashMap<&'t str, Size>,
    /// Trees that are not in `trees`.
    pub(crate) missing: Vec<String>,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Size {
    paths: u64,
    /// Folder depth.
    height: usize,
}

impl<'t> TreeSizes<'t> {
    pub(crate) fn size(&mut self, tree: &str, depth: usize) -> Result<Size, TreeTooLarge> {
        if let Some(known) = self.sizes.get(tree) {
            return known.below(depth);
        }
        if depth > DEEPEST {
            return Err(TreeTooLarge);
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
    fn below(self, depth: usize) -> Result<Self, TreeTooLarge> {
        let is_too_large = self.paths > MOST_PATHS || depth + self.height > DEEPEST;
        if is_too_large { Err(TreeTooLarge) } else { Ok(self) }
    }
}
