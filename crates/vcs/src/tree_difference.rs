//! Compares two trees file by file.

use std::collections::BTreeMap;

use crate::tree_object::{DEEPEST, EntryMode, TreeEntry};

/// Each differing path with both entries; folders are descended into.
pub(crate) type Differences = BTreeMap<Vec<u8>, [Option<TreeEntry>; 2]>;

/// `None` if `read` fails for a tree, or if they are too deep.
pub(crate) fn differences(
    trees: [&str; 2],
    read: &dyn Fn(&str) -> Option<Vec<TreeEntry>>,
) -> Option<Differences> {
    let mut found = Differences::new();
    compare(b"", trees.map(Some), read, 0, &mut found)?;
    Some(found)
}

fn compare(
    prefix: &[u8],
    trees: [Option<&str>; 2],
    read: &dyn Fn(&str) -> Option<Vec<TreeEntry>>,
    depth: usize,
    found: &mut Differences,
) -> Option<()> {
    if trees[0] == trees[1] {
        return Some(());
    }
    if depth > DEEPEST {
        return None;
    }
    let mut names: BTreeMap<Vec<u8>, [Option<TreeEntry>; 2]> = BTreeMap::new();
    for (side, tree) in trees.into_iter().enumerate() {
        for entry in tree.map_or(Some(Vec::new()), read)? {
            let name = entry.name.clone();
            names.entry(name).or_default()[side] = Some(entry);
        }
    }
    for (name, pair) in names {
        if pair[0] == pair[1] {
            continue;
        }
        let path = [prefix, &name].concat();
        let is_folder = |entry: &&TreeEntry| entry.mode == EntryMode::Folder;
        let folders = [&pair[0], &pair[1]]
            .map(|entry| entry.as_ref().filter(is_folder).map(|entry| entry.id.as_str()));
        if folders.iter().any(Option::is_some) {
            compare(&[&path[..], b"/"].concat(), folders, read, depth + 1, found)?;
        }
        let files = pair.map(|entry| entry.filter(|entry| !is_folder(&entry)));
        if files.iter().any(Option::is_some) {
            found.insert(path, files);
        }
    }
    Some(())
}
