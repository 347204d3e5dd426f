//! What the guard can object to, and the line of the reason that says so.

use bounded_read::FileError;
use hook_io::plain;
use project::{ProtectedChange, Tampering};
use tasks::{BrokenInvariant, Problem, Violation};
use vcs::DirtyPath;

#[derive(Debug)]
pub(crate) enum Finding {
    Tampered(Tampering),
    NoTaskList(FileError),
    Schema(Problem),
    Invariant(BrokenInvariant),
    Transition(Violation),
    Protected(ProtectedChange),
    /// A review changed what it was to judge: committed or not.
    OutsideReview {
        path: String,
    },
    Uncommitted(DirtyPath),
}

/// Findings that are put right in the same way, in the order in which they are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Marker,
    TaskList,
    EndState,
    Changes,
    ProtectedFiles,
    OutsideReview,
    Uncommitted,
}

impl Section {
    pub(crate) const ALL: [Self; 7] = [
        Self::Marker,
        Self::TaskList,
        Self::EndState,
        Self::Changes,
        Self::ProtectedFiles,
        Self::OutsideReview,
        Self::Uncommitted,
    ];
}

impl Finding {
    pub(crate) fn section(&self) -> Section {
        match self {
            Self::Tampered(_) => Section::Marker,
            Self::NoTaskList(_) | Self::Schema(_) => Section::TaskList,
            Self::Invariant(_) => Section::EndState,
            Self::Transition(_) => Section::Changes,
            Self::Protected(_) => Section::ProtectedFiles,
            Self::OutsideReview { .. } => Section::OutsideReview,
            Self::Uncommitted(_) => Section::Uncommitted,
        }
    }

    pub(crate) fn line(&self) -> String {
        match self {
            Self::Tampered(tampering) => tampered(tampering),
            Self::NoTaskList(error) => no_task_list(error),
            Self::Schema(problem) => problem.to_string(),
            Self::Invariant(broken) => broken.to_string(),
            Self::Transition(violation) => violation.to_string(),
            Self::Protected(change) => protected(change),
            Self::OutsideReview { path } => plain(path),
            Self::Uncommitted(dirty) => format!("{}: {}", dirty.kind, plain(&dirty.path)),
        }
    }
}

fn tampered(tampering: &Tampering) -> String {
    match tampering {
        Tampering::Removed => "it was removed".into(),
        Tampering::Unreadable { why } => format!("it cannot be read any more: {}", plain(why)),
        Tampering::Altered { written, found } => {
            format!("its sha256 is {}…, the runner wrote {}…", found.short(), written.short())
        }
    }
}

fn no_task_list(error: &FileError) -> String {
    match error {
        FileError::Absent => {
            "it is missing. Restore it with git; the loop cannot go on without it".into()
        }
        FileError::TooLarge { bytes, limit } => format!(
            "it has {bytes} bytes, and {limit} is the most. Move long texts into files of their own"
        ),
        other => format!("it cannot be read: {other}. Put a regular file in its place"),
    }
}

fn protected(change: &ProtectedChange) -> String {
    let path = plain(change.path());
    match change {
        ProtectedChange::Altered { old, new, .. } => {
            format!("{path}: changed (sha256 {}… → {}…)", old.short(), new.short())
        }
        ProtectedChange::Created { .. } => format!("{path}: created, there was none. Delete it"),
        ProtectedChange::Removed { .. } => format!("{path}: removed"),
        ProtectedChange::Replaced { why, .. } => format!("{path}: replaced, {}", plain(why)),
    }
}
