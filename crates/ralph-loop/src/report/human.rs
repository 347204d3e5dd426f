//! What a person who reads along can choose.

use chrono::FixedOffset;

use super::script::{Beginnings, Script};
use super::{Look, Marks, Palette};

#[derive(Debug, Clone)]
pub struct HumanOptions {
    pub palette: Palette,
    pub marks: &'static Marks,
    pub timestamps: Timestamps,
    pub stream: AgentStream,
    pub output: OutputLimits,
    /// Whether the lines of `--verbose` stand between the others. They do where both share one
    /// redrawn terminal; elsewhere `Verbose` writes them.
    pub verbosity: Verbosity,
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

/// As much of a tool's answer as is shown. 0 of either shows only how much it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLimits {
    pub lines: usize,
    pub chars: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    Usual,
    Verbose,
}

impl Default for OutputLimits {
    fn default() -> Self {
        Self { lines: 10, chars: 1000 }
    }
}

impl HumanOptions {
    /// No colours, no timestamps, everything the agent does, UTC.
    pub fn plain() -> Self {
        Self {
            palette: Palette::plain(),
            marks: Marks::EMOJI,
            timestamps: Timestamps::Hidden,
            stream: AgentStream::Shown,
            output: OutputLimits::default(),
            verbosity: Verbosity::Usual,
            offset: chrono::Offset::fix(&chrono::Utc),
        }
    }

    pub(crate) fn look(&self, width: Option<usize>) -> Look {
        Look { palette: self.palette.clone(), marks: self.marks, width }
    }

    pub(crate) fn script(&self, width: Option<usize>, beginnings: Beginnings) -> Script {
        Script {
            look: self.look(width),
            stream: self.stream,
            output: self.output,
            beginnings,
            offset: self.offset,
        }
    }
}
