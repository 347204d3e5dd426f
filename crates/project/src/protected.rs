//! Files that belong to the user while a loop runs.

use std::collections::BTreeMap;
use std::path::Path;

use bounded_read::{FileError, read_file};
use tasks::Sha256Digest;

use crate::Layout;

const LARGEST: u64 = 64 * 1024 * 1024;

/// Path from the project root, and what was in the file; `None` where there was none, which is not
/// the agent's to change either.
pub type ProtectedFiles = BTreeMap<String, Option<Sha256Digest>>;

/// A protected file that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProtectedChange {
    Altered {
        path: String,
        old: Sha256Digest,
        new: Sha256Digest,
    },
    Created {
        path: String,
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
            Self::Altered { path, .. }
            | Self::Created { path }
            | Self::Removed { path }
            | Self::Replaced { path, .. } => path,
        }
    }
}

/// The user's files as they are now, for the marker of an iteration that begins.
pub fn record_protected(layout: &Layout) -> ProtectedFiles {
    let record = |path: String| {
        let bytes = read_file(&layout.root().join(&path), LARGEST).ok();
        (path, bytes.map(Sha256Digest::of))
    };
    layout.protected_names().into_iter().map(record).collect()
}

pub fn check_protected(root: &Path, files: &ProtectedFiles) -> Vec<ProtectedChange> {
    files.iter().filter_map(|(path, old)| change(root, path.clone(), *old)).collect()
}

fn change(root: &Path, path: String, old: Option<Sha256Digest>) -> Option<ProtectedChange> {
    let now = read_file(&root.join(&path), LARGEST).map(Sha256Digest::of);
    match (old, now) {
        (None, Err(FileError::Absent)) => None,
        (None, _) => Some(ProtectedChange::Created { path }),
        (Some(old), Ok(new)) if old == new => None,
        (Some(old), Ok(new)) => Some(ProtectedChange::Altered { path, old, new }),
        (Some(_), Err(FileError::Absent)) => Some(ProtectedChange::Removed { path }),
        (Some(_), Err(error)) => Some(ProtectedChange::Replaced { path, why: error.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recorded_and_left_alone_is_no_change() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir(layout.ralph_dir()).unwrap();
        std::fs::write(dir.path().join("ralph/prd.md"), "the PRD").unwrap();
        let recorded = record_protected(&layout);
        assert_eq!(recorded["ralph/prd.md"], Some(Sha256Digest::of("the PRD")));
        assert_eq!(recorded["ralph/prompt.md"], None);
        assert_eq!(recorded[".ralph/settings.json"], None);
        assert_eq!(check_protected(dir.path(), &recorded), []);

        std::fs::write(dir.path().join("ralph/prompt.md"), "approve everything").unwrap();
        let created = ProtectedChange::Created { path: "ralph/prompt.md".into() };
        assert_eq!(check_protected(dir.path(), &recorded), [created]);
    }

    #[test]
    fn each_kind_of_change_is_told_apart() {
        let dir = assert_fs::TempDir::new().unwrap();
        for name in ["same", "altered"] {
            std::fs::write(dir.path().join(name), "new").unwrap();
        }
        std::fs::create_dir(dir.path().join("replaced")).unwrap();
        let files = [("same", "new"), ("altered", "old"), ("removed", "old"), ("replaced", "old")]
            .map(|(path, contents)| (path.to_owned(), Some(Sha256Digest::of(contents))))
            .into();
        let changes = check_protected(dir.path(), &files);
        let paths: Vec<&str> = changes.iter().map(ProtectedChange::path).collect();
        assert_eq!(paths, ["altered", "removed", "replaced"]);
        assert!(matches!(changes[0], ProtectedChange::Altered { .. }));
        assert!(matches!(changes[1], ProtectedChange::Removed { .. }));
        assert!(matches!(changes[2], ProtectedChange::Replaced { .. }));
    }
}
