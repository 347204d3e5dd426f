//! Kinds of findings, for whoever tells them.

/// Findings that are put right in the same way, in the order in which they are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    Marker,
    TaskList,
    EndState,
    Changes,
    Verdict,
    ProtectedFiles,
    OutsideReview,
    Repository,
    Uncommitted,
}

impl Section {
    pub const ALL: [Self; 9] = [
        Self::Marker,
        Self::TaskList,
        Self::EndState,
        Self::Changes,
        Self::Verdict,
        Self::ProtectedFiles,
        Self::OutsideReview,
        Self::Repository,
        Self::Uncommitted,
    ];
}
