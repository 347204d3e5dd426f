//! What a child prints: read on threads of their own, cut into lines in bounded memory.

mod splitter;
mod tap;

pub(crate) use splitter::LineSplitter;
pub(crate) use tap::{Chunk, Tap};
