//! Options of the human-readable output.

use chrono::FixedOffset;
use events::Stamped;

use super::line_renderer::LineRenderer;
use super::{Line, Look, Marks, Palette, Role};

#[derive(Debug, Clone)]
pub struct HumanOptions {
    pub palette: Palette,
    pub marks: &'static Marks,
    pub timestamps: bool,
    /// Whether to show the agent's text, tool calls and to-do list.
    pub agent_stream: bool,
    pub output: OutputLimits,
    pub verbose: VerboseLines,
    /// The user's time zone.
    pub offset: FixedOffset,
}

/// The lines of `--verbose`, which begin with `[ralph]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerboseLines {
    None,
    /// Details among the other lines.
    Details,
    /// All lines: the other reporter writes to another stream.
    All,
}

/// `[ralph] text`, sanitized, on one line.
pub fn verbose_line(text: &str) -> String {
    format!("[ralph] {}", sanitize::line(text))
}

/// Limits for the output of a tool. 0 shows only its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLimits {
    pub lines: usize,
    pub chars: usize,
}

impl Default for OutputLimits {
    fn default() -> Self {
        Self { lines: 10, chars: 1000 }
    }
}

impl HumanOptions {
    /// `--verbose` on a stream of its own.
    pub fn verbose(offset: FixedOffset) -> Self {
        Self { agent_stream: false, verbose: VerboseLines::All, offset, ..Self::plain() }
    }

    /// No colours, no timestamps, everything the agent does, UTC.
    pub fn plain() -> Self {
        Self {
            palette: Palette::plain(),
            marks: Marks::EMOJI,
            timestamps: false,
            agent_stream: true,
            output: OutputLimits::default(),
            verbose: VerboseLines::None,
            offset: chrono::Offset::fix(&chrono::Utc),
        }
    }

    pub(crate) fn look(&self, width: Option<usize>) -> Look {
        Look { palette: self.palette.clone(), marks: self.marks, width }
    }

    /// For a terminal of this width, or for plain lines.
    pub(crate) fn renderer(&self, width: Option<usize>) -> LineRenderer {
        LineRenderer {
            look: self.look(width),
            agent_stream: self.agent_stream,
            verbose: self.verbose,
            output: self.output,
            offset: self.offset,
        }
    }

    pub(crate) fn timestamp_width(&self) -> usize {
        if self.timestamps { "[00:00:00] ".len() } else { 0 }
    }

    /// Puts the time of its event before a line, if timestamps are on.
    pub(crate) fn with_timestamp(&self, line: Line, stamped: &Stamped) -> Line {
        if !self.timestamps || line.width() == 0 {
            return line;
        }
        let time = stamped.at.with_timezone(&self.offset).format("[%H:%M:%S] ");
        Line::empty().with(Role::Dim, time.to_string()).append(line)
    }
}
