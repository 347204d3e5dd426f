//! A line of output.

/// Bytes as they came, without the newline; a carriage return before it is part of the line.
/// The last line of a stream needs no newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    pub source: Source,
    pub bytes: &'a [u8],
    /// How many bytes beyond the longest line were dropped; 0 if this is the whole line.
    pub cut: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Stdout,
    Stderr,
}
