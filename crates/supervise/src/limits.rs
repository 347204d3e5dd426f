//! How long a child may take for what, and how much of a line is kept.

use std::time::Duration;

use crate::SoftLimits;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For everything.
    pub total: Option<Duration>,
    /// Without any output, on stdout or stderr.
    pub idle: Option<Duration>,
    /// From the polite signal to the kill.
    pub grace: Duration,
    /// Without any output once the answer is complete; takes the place of `idle` then.
    pub linger: Duration,
    /// For what is in the pipes when the child is gone and somebody still holds them.
    pub drain: Duration,
    /// In bytes. The rest of a longer line is counted and dropped.
    pub longest_line: usize,
    /// Told, and nothing else.
    pub soft: SoftLimits,
}
