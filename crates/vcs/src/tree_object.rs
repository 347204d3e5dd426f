//! Tree objects and their entries.

use std::collections::HashSet;
use std::sync::Arc;

use crate::BlobId;
use data_encoding::HEXLOWER;

/// Maximum folder depth. Each level uses stack; git's own limit is 2048.
pub(crate) const DEEPEST: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub mode: EntryMode,
    /// Of the contents, the link target, the folder's tree or the submodule's commit.
    pub(crate) id: BlobId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryMode {
    File,
    Executable,
    Link,
    Folder,
    /// A nested repository.
    Submodule,
}

/// The entries of a folder by name.
pub(crate) type TreeEntries = Arc<[(Vec<u8>, Entry)]>;

/// `None` for a tree that git would not check out: an unsafe or duplicate name, or an unknown mode.
/// `id_bytes` is the length of an object id.
pub(crate) fn parse(content: &[u8], id_bytes: usize) -> Option<TreeEntries> {
    let (mut entries, mut rest) = (Vec::new(), content);
    let mut names = HashSet::new();
    while !rest.is_empty() {
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let zero = rest.iter().position(|byte| *byte == 0)?;
        let name = rest.get(space + 1..zero)?.to_vec();
        let id = HEXLOWER.encode(rest.get(zero + 1..zero + 1 + id_bytes)?);
        let entry = Entry::new(&rest[..space], &id)?;
        rest = &rest[zero + 1 + id_bytes..];
        if !is_name(&name) || !names.insert(name.clone()) {
            return None;
        }
        entries.push((name, entry));
    }
    Some(entries.into())
}

/// The entry at `path` below the tree `root`. The outer `None` if `read` fails for a tree.
pub(crate) fn find(
    root: &str,
    path: &[u8],
    read: impl Fn(&str) -> Option<TreeEntries>,
) -> Option<Option<Entry>> {
    let mut tree = root.to_owned();
    let mut parts = path.split(|byte| *byte == b'/').peekable();
    while let Some(part) = parts.next() {
        let entries = read(&tree)?;
        match entries.iter().find(|(name, _)| name == part) {
            Some((_, entry)) if parts.peek().is_none() => return Some(Some(entry.clone())),
            Some((_, entry)) if entry.mode == EntryMode::Folder => tree.clone_from(&entry.id.0),
            _ => return Some(None),
        }
    }
    Some(None)
}

impl Entry {
    /// `None` for an unknown mode.
    pub(crate) fn new(mode: &[u8], id: &str) -> Option<Self> {
        let mode = match mode {
            // 100664 was written by very old versions of git.
            b"100644" | b"100664" => EntryMode::File,
            b"100755" => EntryMode::Executable,
            b"120000" => EntryMode::Link,
            b"40000" | b"040000" => EntryMode::Folder,
            b"160000" => EntryMode::Submodule,
            _ => return None,
        };
        Some(Self { mode, id: BlobId(id.to_owned()) })
    }

    pub fn blob(&self) -> Option<&BlobId> {
        let is_blob = !matches!(self.mode, EntryMode::Folder | EntryMode::Submodule);
        is_blob.then_some(&self.id)
    }

    pub(crate) fn is_submodule(&self) -> bool {
        self.mode == EntryMode::Submodule
    }

    pub(crate) fn is_regular_file(&self) -> bool {
        matches!(self.mode, EntryMode::File | EntryMode::Executable)
    }

    /// The mode as git prints it.
    pub(crate) fn mode_digits(&self) -> &'static str {
        match self.mode {
            EntryMode::File => "100644",
            EntryMode::Executable => "100755",
            EntryMode::Link => "120000",
            EntryMode::Folder => "040000",
            EntryMode::Submodule => "160000",
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
    fn an_entry_round_trips() {
        for mode in ["100644", "100755", "120000", "160000"] {
            let entry = Entry::new(mode.as_bytes(), "abc").unwrap();
            assert_eq!((entry.mode_digits(), entry.id.0.as_str()), (mode, "abc"));
            assert_eq!(entry.blob().is_none(), entry.is_submodule());
        }
        assert_eq!(Entry::new(b"040000", "abc").unwrap().blob(), None);
    }

    #[test]
    fn entries_are_read_as_they_were_written() {
        let content = content(&[("100644", "a b"), ("40000", "folder"), ("120000", "l")]);
        let entries = parse(&content, 20).unwrap();
        let names: Vec<_> = entries.iter().map(|(name, _)| name.as_slice()).collect();
        assert_eq!(names, [&b"a b"[..], b"folder", b"l"]);
        assert_eq!(entries[1].1.mode, EntryMode::Folder);
        assert_eq!(entries[2].1.id.0, "ab".repeat(20));
        assert_eq!(parse(b"", 20).unwrap().len(), 0);
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
