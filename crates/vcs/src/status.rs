//! Parses `git status --porcelain -z` into paths relative to the project.

use std::fmt;

use crate::path_text;

/// An uncommitted path, relative to the project, with `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirtyPath {
    pub path: String,
    pub kind: DirtyKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirtyKind {
    Untracked,
    Added,
    Deleted,
    Conflicted,
    Modified,
}

impl DirtyKind {
    pub(crate) fn from_letters(index: u8, tree: u8) -> Self {
        match (index, tree) {
            (b'?', _) => Self::Untracked,
            (b'U', _) | (_, b'U') | (b'A', b'A') | (b'D', b'D') => Self::Conflicted,
            (b'D', _) | (_, b'D') => Self::Deleted,
            (b'A', _) => Self::Added,
            _ => Self::Modified,
        }
    }
}

impl fmt::Display for DirtyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Untracked => "untracked",
            Self::Added => "added",
            Self::Deleted => "deleted",
            Self::Conflicted => "conflicted",
            Self::Modified => "modified",
        })
    }
}

/// `output` must come from a status without renames, so that every entry has one path.
pub(crate) fn parse(output: &[u8], prefix: &Prefix) -> Vec<DirtyPath> {
    let entries = output.split(|byte| *byte == 0);
    entries
        .filter_map(|entry| match entry {
            [index, tree, b' ', path @ ..] => Some(DirtyPath {
                path: prefix.relative(path),
                kind: DirtyKind::from_letters(*index, *tree),
            }),
            _ => None,
        })
        .collect()
}

/// The project's folder in the repository: empty or ending in `/`. git names paths from the
/// repository root, the rest of the program from the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prefix(pub(crate) String);

impl Prefix {
    /// `path` as in git's output.
    pub(crate) fn relative(&self, path: &[u8]) -> String {
        self.relative_text(&path_text::from_bytes(path))
    }

    pub(crate) fn relative_text(&self, path: &str) -> String {
        match path.strip_prefix(self.0.as_str()) {
            Some(inside) => inside.to_owned(),
            None => format!("{}{path}", "../".repeat(self.0.matches('/').count())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_become_paths_with_kinds() {
        let output = b" M src/a b.rs\0?? new\nline\0D  gone\0UU both\0A  fresh\0MM x\0";
        let found = parse(output, &Prefix(String::new()));
        let shown: Vec<String> = found.iter().map(|d| format!("{}:{}", d.kind, d.path)).collect();
        assert_eq!(
            shown,
            [
                "modified:src/a b.rs",
                "untracked:new\nline",
                "deleted:gone",
                "conflicted:both",
                "added:fresh",
                "modified:x",
            ]
        );
    }

    #[test]
    fn paths_are_relative_to_the_project() {
        let prefix = Prefix("apps/web/".into());
        assert_eq!(prefix.relative(b"apps/web/src/a"), "src/a");
        assert_eq!(prefix.relative(b"libs/b"), "../../libs/b");
        assert_eq!(prefix.relative(b"bad-\xff"), "../../bad-\\377");
    }
}
