//! Time limits that are only reported: the child continues.

use std::time::Duration;

/// Both count from the start of the child. One at or after a hard limit is never reported; zero is
/// reported at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SoftLimits {
    /// For this child only.
    pub own: Option<Duration>,
    /// The rest of a time that the child shares with others.
    pub shared: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SoftLimit {
    Own,
    Shared,
}

impl SoftLimits {
    pub(crate) fn iter(self) -> impl Iterator<Item = (SoftLimit, Duration)> {
        let all = [(SoftLimit::Own, self.own), (SoftLimit::Shared, self.shared)];
        all.into_iter().filter_map(|(which, long)| Some((which, long?)))
    }

    pub(crate) fn take(&mut self, which: SoftLimit) {
        match which {
            SoftLimit::Own => self.own = None,
            SoftLimit::Shared => self.shared = None,
        }
    }
}
