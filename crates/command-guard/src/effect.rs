//! An effect of a command on a file.

use crate::place::Place;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Effect {
    pub(crate) action: FileAction,
    pub(crate) place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileAction {
    Read,
    /// Reads everything below it.
    ReadTree,
    Write,
    Append,
    Delete,
    DeleteTree,
    /// Moves it to another place.
    MoveAway,
    /// Creates a link to it.
    LinkTo,
    Mode,
    ModeTree,
}

impl FileAction {
    /// Its name in the table of programs.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "read" => Self::Read,
            "read-tree" => Self::ReadTree,
            "write" => Self::Write,
            "append" => Self::Append,
            "delete" => Self::Delete,
            "delete-tree" => Self::DeleteTree,
            "move" => Self::MoveAway,
            "link" => Self::LinkTo,
            "mode" => Self::Mode,
            "mode-tree" => Self::ModeTree,
            _ => return None,
        })
    }

    /// Whether the path is changed or missing afterwards.
    pub(crate) fn changes(self) -> bool {
        !matches!(self, Self::Read | Self::ReadTree | Self::LinkTo)
    }
}
