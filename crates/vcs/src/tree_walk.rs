//! Compares two trees file by file, and checks that a walk over all paths of a tree finishes: a tree
//! can reuse subtrees, so few objects can form a huge number of paths.

use std::collections::{BTreeMap, HashMap};

use crate::tree_object::{DEEPEST, Entry, EntryMode, TreeEntries};

/// The old and the new entry; at least one is set.
pub(crate) type Difference = [Option<Entry>; 2];

/// Each differing path; folders are descended into.
pub(crate) type Differences = BTreeMap<Vec<u8>, Difference>;

/// Limit of files and folders of a commit.
pub(crate) const MOST_PATHS: u64 = 2_000_000;

/// Too many paths or too deep.
pub(crate) struct TreeTooLarge;

/// Visits each tree once.
pub(crate) struct TreeSizes<'t> {
    pub(crate) trees: &'t HashMap<String, TreeEntries>,
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

/// `None` if `read` fails for a tree, or if they are too deep.
pub(crate) fn differences(
    trees: [&str; 2],
    read: &dyn Fn(&str) -> Option<TreeEntries>,
) -> Option<Differences> {
    let mut found = Differences::new();
    compare(b"", trees.map(Some), read, 0, &mut found)?;
    Some(found)
}

fn compare(
    prefix: &[u8],
    trees: [Option<&str>; 2],
    read: &dyn Fn(&str) -> Option<TreeEntries>,
    depth: usize,
    found: &mut Differences,
) -> Option<()> {
    if trees[0] == trees[1] {
        return Some(());
    }
    if depth > DEEPEST {
        return None;
    }
    let mut names = Differences::new();
    for (side, tree) in trees.into_iter().enumerate() {
        for (name, entry) in tree.map_or_else(|| Some(TreeEntries::default()), read)?.iter() {
            names.entry(name.clone()).or_default()[side] = Some(entry.clone());
        }
    }
    for (name, pair) in names.into_iter().filter(|(_, [was, now])| was != now) {
        let path = [prefix, &name].concat();
        let is_folder = |entry: &&Entry| entry.mode == EntryMode::Folder;
        let folders = pair.each_ref().map(|entry| entry.as_ref().filter(is_folder));
        if folders.iter().any(Option::is_some) {
            let folders = folders.map(|entry| entry.map(|entry| entry.id.0.as_str()));
            compare(&[&path[..], b"/"].concat(), folders, read, depth + 1, found)?;
        }
        let files = pair.map(|entry| entry.filter(|entry| !is_folder(&entry)));
        if files.iter().any(Option::is_some) {
            found.insert(path, files);
        }
    }
    Some(())
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
        for (_, entry) in entries.iter() {
            let inside = match entry.mode {
                EntryMode::Folder => self.size(&entry.id.0, depth + 1)?,
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
