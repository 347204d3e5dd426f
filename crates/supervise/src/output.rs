//! Reads the output of a child on threads and splits it into lines with bounded memory.

mod pipe_reader;
mod splitter;

pub(crate) use pipe_reader::{Chunk, PipeReader};
pub(crate) use splitter::LineSplitter;
