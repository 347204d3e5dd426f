//! Events of a running child: those that its reader gets, and those of its threads, sent over one channel.

use crate::SoftLimit;
use crate::output::Chunk;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildEvent<'a> {
    Line(OutputLine<'a>),
    /// Reported once; the child continues.
    SoftLimit(SoftLimit),
    /// A few times per second.
    Tick,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    Nothing,
    /// The answer is complete: the process should end soon.
    Result,
    /// The answer was not the last one: more work follows.
    MoreToCome,
    /// The child is asked to end.
    Enough,
}

/// A line of output: raw bytes without the newline; a carriage return before it is included. The last line of a
/// stream needs no newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLine<'a> {
    pub source: Source,
    pub bytes: &'a [u8],
    /// Dropped bytes beyond the maximum length; 0 for a complete line.
    pub cut: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Stdout,
    Stderr,
}

#[derive(Debug)]
pub(crate) enum Event {
    Printed(Source, Chunk),
    /// All writers of this pipe are closed.
    Closed(Source),
    /// The child, its tree and its keeper have ended; the pipes may still hold output.
    Gone,
    StopRaised,
}
