//! A line of output.

/// Raw bytes without the newline; a carriage return before it is included. The last line of a
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
