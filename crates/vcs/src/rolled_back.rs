//! What rolling a work tree back came to.

use std::fmt;

/// All paths are the project's, in order; a folder has a slash at its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RolledBack {
    /// What was not there before; a new folder once, with all that was in it.
    pub removed: Vec<String>,
    /// All of them, those in new folders one by one.
    pub removed_files: u64,
    /// What was there before: written again by git, in the index or on disk, or moved back where git does not
    /// keep it.
    pub restored: Vec<String>,
    pub left: Vec<Left>,
}

/// What becomes of files that git ignores and that were not there before. No backup holds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewIgnored {
    Removed,
    /// Where nobody knows who made them.
    Left,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Left {
    pub path: String,
    pub why: WhyLeft,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyLeft {
    /// git ignores it and it was there before: what it held nobody knows.
    Changed,
    Gone,
    /// git ignores it, it is new, and nobody knows whose it is.
    MayBeOthers,
    /// A submodule that is at another commit.
    Submodule,
    CannotRemove(String),
    CannotRestore,
}

impl fmt::Display for WhyLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => f.write_str("not in git and changed"),
            Self::Gone => f.write_str("not in git and gone"),
            Self::MayBeOthers => f.write_str("not in git and new; it may be yours"),
            Self::Submodule => f.write_str("a submodule at another commit"),
            Self::CannotRemove(error) => write!(f, "cannot be removed: {error}"),
            Self::CannotRestore => f.write_str("git could not write it"),
        }
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.path, self.why)
    }
}
