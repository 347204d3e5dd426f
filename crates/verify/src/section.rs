//! Groups of findings.

/// Findings that are fixed in the same way, in the order of their report.
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
