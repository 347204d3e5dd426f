//! The part that a piece of text plays. What each looks like is for whoever shows it.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Plain,
    Strong,
    Dim,
    Accent,
    Good,
    Bad,
    Warn,
    /// What nobody may overlook.
    Alarm,
}
