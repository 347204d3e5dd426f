//! All that can happen to a running child, in the one channel that its runner reads.

use crate::Source;
use crate::output::Chunk;

#[derive(Debug)]
pub(crate) enum Event {
    Printed(Source, Chunk),
    /// Nobody can write to this pipe any more.
    Closed(Source),
    /// The child, its tree and its keeper are gone; their last words may still be in the pipes.
    Gone,
    StopRaised,
}
