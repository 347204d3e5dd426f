//! The access of a process tree to a path and everything below it.

/// The rule with the longest matching path applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// A folder that starts empty. Its contents are deleted when the process tree ends.
    Private,
    /// An empty file.
    Hidden,
    ReadOnly,
    Writable,
}
