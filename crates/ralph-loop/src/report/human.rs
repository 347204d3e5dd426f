//! What a person who reads along can choose.

use chrono::FixedOffset;

use super::{Look, Marks, Palette};

#[derive(Debug, Clone)]
pub struct HumanOptions {
    pub palette: Palette,
    pub marks: &'static Marks,
    pub timestamps: Timestamps,
    pub stream: AgentStream,
    /// Of the times that are shown: the user's own.
    pub offset: FixedOffset,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timestamps {
    Shown,
    Hidden,
}

/// The agent's text, tool calls and to-do list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentStream {
    Shown,
    Hidden,
}

impl HumanOptions {
    /// No colours, no timestamps, everything the agent does, UTC.
    pub fn plain() -> Self {
        Self {
            palette: Palette::plain(),
            marks: Marks::EMOJI,
            timestamps: Timestamps::Hidden,
            stream: AgentStream::Shown,
            offset: chrono::Offset::fix(&chrono::Utc),
        }
    }

    pub(crate) fn look(&self, width: Option<usize>) -> Look {
        Look { palette: self.palette.clone(), marks: self.marks, width }
    }
}
