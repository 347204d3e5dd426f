//! The result of a rollback.

use std::fmt;

/// All paths are relative to the project and sorted; folders end in a slash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RolledBack {
    /// New paths; a new folder is listed once.
    pub removed: Vec<String>,
    /// The number of removed files, including those in new folders.
    pub removed_files: u64,
    /// Restored paths: written by git to index or disk, or moved back.
    pub restored: Vec<String>,
    pub left: Vec<NotRestored>,
}

/// Treatment of new files that git ignores. No backup holds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewIgnored {
    Removed,
    /// Kept, because their author is unknown.
    Kept,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotRestored {
    pub path: String,
    pub why: NotRestoredReason,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotRestoredReason {
    /// Ignored by git and changed: the old content is unknown.
    Changed,
    Gone,
    /// Ignored by git and new: it may be the user's.
    MayBeOthers,
    Submodule,
    CannotRemove(String),
    CannotRestore,
}

impl fmt::Display for NotRestoredReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => f.write_str("not tracked by git and changed"),
            Self::Gone => f.write_str("not tracked by git and missing"),
            Self::MayBeOthers => f.write_str("not tracked by git and new; it may be yours"),
            Self::Submodule => f.write_str("a submodule at another commit"),
            Self::CannotRemove(error) => write!(f, "cannot be removed: {error}"),
            Self::CannotRestore => f.write_str("git could not write it"),
        }
    }
}

impl fmt::Display for NotRestored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.path, self.why)
    }
}
