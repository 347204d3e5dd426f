//! Events of a running child, sent over one channel.

use crate::Source;
use crate::output::Chunk;

#[derive(Debug)]
pub(crate) enum Event {
    Printed(Source, Chunk),
    /// All writers of this pipe are closed.
    Closed(Source),
    /// The child, its tree and its keeper have ended; the pipes may still hold output.
    Gone,
    StopRaised,
}
