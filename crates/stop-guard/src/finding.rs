//! What the guard can object to.

use bounded_read::FileError;
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
