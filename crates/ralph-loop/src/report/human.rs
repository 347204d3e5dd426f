//! Options of the human-readable output.

use chrono::FixedOffset;

use super::line_renderer::{Beginnings, LineRenderer};
use super::{Look, Marks, Palette};

#[derive(Debug, Clone)]
pub struct HumanOptions {
    pub palette: Palette,
    pub marks: &'static Marks,
    pub timestamps: Timestamps,
    pub stream: AgentStream,
    pub output: OutputLimits,
    /// Whether this reporter also prints the lines of `--verbose`. It does if both share one redrawn
    /// terminal; otherwise `Verbose` writes them.
    pub verbosity: Verbosity,
    /// The user's time zone.
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

/// Limits for the output of a tool. 0 shows only its size.
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

    pub(crate) fn renderer(&self, width: Option<usize>, beginnings: Beginnings) -> LineRenderer {
        LineRenderer {
            look: self.look(width),
            stream: self.stream,
            output: self.output,
            beginnings,
            offset: self.offset,
        }
    }
}
