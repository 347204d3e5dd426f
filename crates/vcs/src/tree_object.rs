//! Parses tree objects.

use std::collections::HashSet;

use crate::entry::{BlobId, Entry};
use data_encoding::HEXLOWER;

/// Maximum folder depth. Each level uses stack; git's own limit is 2048.
pub(crate) const DEEPEST: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    pub(crate) name: Vec<u8>,
    pub(crate) mode: EntryMode,
    pub(crate) id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryMode {
    File,
    Executable,
    Link,
    Folder,
    Submodule,
}

/// `None` for a tree that git would not check out: an unsafe or duplicate name, or an unknown mode.
/// `id_bytes` is the length of an object id.
pub(crate) fn parse(content: &[u8], id_bytes: usize) -> Option<Vec<TreeEntry>> {
    let (mut entries, mut rest) = (Vec::new(), content);
    let mut names = HashSet::new();
    while !rest.is_empty() {
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let zero = rest.iter().position(|byte| *byte == 0)?;
        let name = rest.get(space + 1..zero)?.to_vec();
        let mode = EntryMode::of(&rest[..space])?;
        let id = HEXLOWER.encode(rest.get(zero + 1..zero + 1 + id_bytes)?);
        rest = &rest[zero + 1 + id_bytes..];
        if !is_name(&name) || !names.insert(name.clone()) {
            return None;
        }
        entries.push(TreeEntry { name, mode, id });
    }
    Some(entries)
}

impl TreeEntry {
    /// `None` for a folder.
    pub(crate) fn to_entry(&self) -> Option<Entry> {
        let blob = || BlobId::new(self.id.clone());
        match self.mode {
            EntryMode::File => Some(Entry::File(blob())),
            EntryMode::Executable => Some(Entry::Executable(blob())),
            EntryMode::Link => Some(Entry::Link(blob())),
            EntryMode::Submodule => Some(Entry::Submodule(self.id.clone())),
            EntryMode::Folder => None,
        }
    }
}

impl EntryMode {
    fn of(mode: &[u8]) -> Option<Self> {
        match mode {
            // 100664 was written by very old versions of git.
            b"100644" | b"100664" => Some(Self::File),
            b"100755" => Some(Self::Executable),
            b"120000" => Some(Self::Link),
            b"40000" | b"040000" => Some(Self::Folder),
            b"160000" => Some(Self::Submodule),
            _ => None,
        }
    }
}

fn is_name(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..")
        && !name.eq_ignore_ascii_case(b".git")
        && !name.contains(&b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(entries: &[(&str, &str)]) -> Vec<u8> {
        let entry = |(mode, name): &(&str, &str)| {
            [mode.as_bytes(), b" ", name.as_bytes(), &[0], &[0xab; 20]].concat()
        };
        entries.iter().flat_map(entry).collect()
    }

    #[test]
    fn entries_are_read_as_they_were_written() {
        let content = content(&[("100644", "a b"), ("40000", "folder"), ("120000", "l")]);
        let entries = parse(&content, 20).unwrap();
        let names: Vec<_> = entries.iter().map(|entry| entry.name.as_slice()).collect();
        assert_eq!(names, [&b"a b"[..], b"folder", b"l"]);
        assert_eq!(entries[1].mode, EntryMode::Folder);
        assert_eq!(entries[2].id, "ab".repeat(20));
        assert_eq!(parse(b"", 20), Some(Vec::new()));
    }

    #[test]
    fn trees_that_git_would_not_check_out_are_refused() {
        for (mode, name) in
            [("100644", ".."), ("100644", ".GIT"), ("40000", "a/b"), ("100644", ""), ("7", "a")]
        {
            assert_eq!(parse(&content(&[(mode, name)]), 20), None, "{mode} {name}");
        }
        assert_eq!(parse(&content(&[("100644", "a"), ("40000", "a")]), 20), None);
        assert_eq!(parse(b"100644 a\0short", 20), None);
        assert_eq!(parse(b"nonsense", 20), None);
    }
}
