//! Times that are worth a word and no more: a child that passes one runs on.

use std::time::Duration;

/// Both count from the start of the child. One at or beyond a limit that ends the child is never
/// told; one of zero is told at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SoftLimits {
    /// For this child alone.
    pub own: Option<Duration>,
    /// What is left of a time that the child shares with others before and after it.
    pub shared: Option<Duration>,
}

/// Which of them has passed.
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
