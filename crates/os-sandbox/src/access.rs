//! What a process tree may do with a file or a folder and with everything in it.

/// A rule for a path holds for all below it, as far as no rule for a longer path says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// A folder that is empty at first. What is written into it is gone when the process tree has ended.
    Private,
    /// A file that is empty.
    Hidden,
    ReadOnly,
    Writable,
}
