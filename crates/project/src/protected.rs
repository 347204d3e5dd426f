//! Files that belong to the user while a loop runs.

use std::collections::BTreeMap;
use std::path::Path;

use bounded_read::{FileError, read_file};
use tasks::Sha256Digest;

const LARGEST: u64 = 64 * 1024 * 1024;

/// A protected file that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProtectedChange {
    Altered {
        path: String,
        old: Sha256Digest,
        new: Sha256Digest,
    },
    Removed {
        path: String,
    },
    /// Too large or no regular file any more: in any case not what it was.
    Replaced {
        path: String,
        why: String,
    },
}

impl ProtectedChange {
    pub fn path(&self) -> &str {
        match self {
            Self::Altered { path, .. } | Self::Removed { path } | Self::Replaced { path, .. } => {
                path
            }
        }
    }
}

pub fn check_protected(
    root: &Path,
    files: &BTreeMap<String, Sha256Digest>,
) -> Vec<ProtectedChange> {
    let changed = |(path, old): (&String, &Sha256Digest)| {
        let path = path.clone();
        match read_file(&root.join(&path), LARGEST) {
            Ok(bytes) => {
                let new = Sha256Digest::of(bytes);
                (new != *old).then_some(ProtectedChange::Altered { path, old: *old, new })
            }
            Err(FileError::Absent) => Some(ProtectedChange::Removed { path }),
            Err(error) => Some(ProtectedChange::Replaced { path, why: error.to_string() }),
        }
    };
    files.iter().filter_map(changed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_is_reported() {
        let dir = assert_fs::TempDir::new().unwrap();
        for name in ["same", "altered"] {
            std::fs::write(dir.path().join(name), "new").unwrap();
        }
        std::fs::create_dir(dir.path().join("replaced")).unwrap();
        let files = [("same", "new"), ("altered", "old"), ("removed", "old"), ("replaced", "old")]
            .map(|(path, contents)| (path.to_owned(), Sha256Digest::of(contents)))
            .into();
        let changes = check_protected(dir.path(), &files);
        let paths: Vec<&str> = changes.iter().map(ProtectedChange::path).collect();
        assert_eq!(paths, ["altered", "removed", "replaced"]);
        assert!(matches!(changes[0], ProtectedChange::Altered { .. }));
        assert!(matches!(changes[1], ProtectedChange::Removed { .. }));
        assert!(matches!(changes[2], ProtectedChange::Replaced { .. }));
    }
}
