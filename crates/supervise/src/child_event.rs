//! Events of a running child that its reader gets, and how the reader reacts.

use crate::{OutputLine, SoftLimit};

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
