//! The role of a piece of text. Each display chooses its own colours.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Plain,
    Strong,
    Dim,
    Accent,
    Good,
    Bad,
    Warn,
    /// Must not be overlooked.
    Alarm,
    /// Of the lane with this number. The text names the lane too.
    Lane(u64),
}
