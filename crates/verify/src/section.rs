//! Groups of findings.

/// Findings that are fixed in the same way, in the order of their report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::VariantArray)]
pub enum Section {
    Marker,
    TaskList,
    EndState,
    Changes,
    Verdict,
    ProtectedFiles,
    OutsideReview,
    OutsideTests,
    Repository,
    Uncommitted,
}

impl Section {
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;
}
