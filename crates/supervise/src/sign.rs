//! What is told of a running child, and what its reader makes of it.

use crate::{Line, SoftLimit};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign<'a> {
    Line(Line<'a>),
    /// It has passed, once, and the child runs on.
    SoftLimit(SoftLimit),
    /// Nothing in particular, a few times a second: a chance to look up.
    Tick,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    Nothing,
    /// The answer is complete: the process should end soon.
    Result,
    /// The answer was not the last word: more work goes on.
    MoreToCome,
    /// Nobody wants more of it: the child is ended politely.
    Enough,
}
