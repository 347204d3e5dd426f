//! Time limits of a child, and the maximum line length.

use std::time::Duration;

use crate::SoftLimits;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Total time.
    pub total: Option<Duration>,
    /// Without any output, on stdout or stderr.
    pub idle: Option<Duration>,
    /// From the polite signal to the kill.
    pub grace: Duration,
    /// Without output after the answer is complete; replaces `idle`.
    pub linger: Duration,
    /// For the pipes after the end of the child, if another process holds them.
    pub drain: Duration,
    /// In bytes. The rest of a longer line is counted and dropped.
    pub longest_line: usize,
    /// Reported only.
    pub soft: SoftLimits,
}
