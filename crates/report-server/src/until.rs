//! When the server ends.

/// When the server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    Stopped,
    /// After the run ended and all watching pages were notified.
    RunEnds,
}
