//! The text of each event, as lines that are not painted yet. Terminal, plain output and session log
//! share it.

use chrono::FixedOffset;
use events::{LoopEvent, Stamped};

use super::{Line, Look, OutputLimits, Role, RunView, duration, money};
use crate::report::line::wrapped;

mod agent;
mod attempts;
mod iteration;
mod memory;
mod run;
mod session_end;
mod story_table;
mod todo;
mod tool;
mod verification;

pub(crate) use attempts::{FailedStoryText, failed_story_text};
pub(crate) use story_table::{StoryTable, reviews, story_table};

/// The number of lines in an excerpt of untrusted text.
const EXCERPT: usize = 6;

/// Renders events as lines.
#[derive(Debug, Clone)]
pub(crate) struct LineRenderer {
    pub(crate) look: Look,
    pub(crate) agent_stream: bool,
    pub(crate) output: OutputLimits,
    pub(crate) offset: FixedOffset,
}

impl LineRenderer {
    /// The lines for `stamped`; `view` is the state before it.
    pub(crate) fn lines(&self, stamped: &Stamped, view: &RunView) -> Vec<Line> {
        let event = &stamped.event;
        match event {
            LoopEvent::RunStarted { .. }
            | LoopEvent::IsolationChosen { .. }
            | LoopEvent::RunEstimated { .. }
            | LoopEvent::LeftoverFound { .. }
            | LoopEvent::Warning { .. }
            | LoopEvent::LogAltered { .. }
            | LoopEvent::StopRequested { .. }
            | LoopEvent::OrderAccepted { .. }
            | LoopEvent::OrderRefused { .. }
            | LoopEvent::Paused
            | LoopEvent::Resumed
            | LoopEvent::Waiting { .. }
            | LoopEvent::RunEnded { .. } => self.about_run(stamped, view),
            LoopEvent::AgentText { .. }
            | LoopEvent::ToolStarted { .. }
            | LoopEvent::ToolEnded { .. }
            | LoopEvent::Todo { .. } => match self.agent_stream {
                true => self.about_stream(event, view),
                false => Vec::new(),
            },
            LoopEvent::SessionStarted { .. }
            | LoopEvent::Context { .. }
            | LoopEvent::Compacted { .. }
            | LoopEvent::ApiRetry { .. }
            | LoopEvent::Quota { .. }
            | LoopEvent::HookAnswered { .. }
            | LoopEvent::HookMissing { .. }
            | LoopEvent::AgentCalled { .. }
            | LoopEvent::AgentStderr { .. }
            | LoopEvent::CompletionChecked { .. }
            | LoopEvent::AgentEnded { .. } => self.about_session(stamped, view),
            LoopEvent::IterationStarted { .. } | LoopEvent::IterationEnded { .. } => {
                self.about_iteration(event, view)
            }
            LoopEvent::ChangesReverted { .. }
            | LoopEvent::WorkCommitted { .. }
            | LoopEvent::CheckStarted { .. }
            | LoopEvent::CheckEnded { .. }
            | LoopEvent::ChecksJudged { .. }
            | LoopEvent::StoryStatusChanged { .. }
            | LoopEvent::VerdictVoid { .. }
            | LoopEvent::StoryAdded { .. }
            | LoopEvent::ScmEnded { .. }
            | LoopEvent::CompletionClaimed { .. } => self.about_verification(event, view),
            LoopEvent::AttemptFailed { .. }
            | LoopEvent::Escalated { .. }
            | LoopEvent::StoryGivenUp { .. }
            | LoopEvent::QualityStarted { .. }
            | LoopEvent::QualityChecked { .. }
            | LoopEvent::TestsWeakened { .. }
            | LoopEvent::BranchArchived { .. }
            | LoopEvent::TimeWarning { .. } => self.about_attempts(event, view),
            LoopEvent::ContextAssembled { .. }
            | LoopEvent::HandoffSaved { .. }
            | LoopEvent::CompactionStarted { .. }
            | LoopEvent::CompactionEnded { .. }
            | LoopEvent::PlanAmended { .. }
            | LoopEvent::RolledBack { .. } => self.about_memory(event),
        }
    }

    /// Whether the start of a tool call or check has a line. A terminal shows it in the status line.
    fn shows_starts(&self) -> bool {
        self.look.width.is_none()
    }

    /// `  ✗ text`
    fn marked(&self, role: Role, mark: &str, text: impl AsRef<str>) -> Line {
        Line::indented(2).with(role, mark).with(Role::Plain, " ").with(Role::Plain, text)
    }

    /// Untrusted text, sanitized and wrapped to the width.
    fn text_block(&self, text: &str, indent: usize, role: Role) -> Vec<Line> {
        let lines = sanitize::block(text);
        let wrap = |line: &String| match self.look.width {
            Some(width) => {
                let pieces = wrapped(line, width.saturating_sub(indent).max(20));
                pieces.into_iter().map(str::to_owned).collect()
            }
            None => vec![line.clone()],
        };
        let lines = lines.iter().flat_map(wrap);
        lines
            .map(|line| {
                let start = if line.is_empty() { Line::empty() } else { Line::indented(indent) };
                start.with(role, line)
            })
            .collect()
    }

    /// The first lines of untrusted text.
    fn excerpt(&self, text: &str) -> String {
        let mut lines = sanitize::block(text);
        let rest = lines.len().saturating_sub(EXCERPT);
        if rest > 1 {
            lines.truncate(EXCERPT);
            lines.push(format!("{} {rest} more lines", self.look.marks.ellipsis));
        }
        lines.join("\n")
    }

    /// The parts on one line, or on several if the width is too small.
    fn flow(&self, start: Line, parts: impl IntoIterator<Item = (Role, String)>) -> Vec<Line> {
        let width = self.look.width.unwrap_or(usize::MAX);
        let separator = Line::empty().with(Role::Dim, format!(" {} ", self.look.marks.dot));
        let mut lines = Vec::new();
        let mut line = start;
        let mut position = 0;
        for (role, text) in parts {
            let part = Line::empty().with(role, text);
            if position > 0 && line.width() + separator.width() + part.width() > width {
                lines.push(std::mem::replace(&mut line, Line::indented(4)));
                position = 0;
            }
            line = if position > 0 { line.append(separator.clone()) } else { line };
            line = line.append(part);
            position += 1;
        }
        lines.push(line);
        lines
    }

    /// Cut to the width, if there is one.
    fn one_line(&self, line: Line) -> Line {
        match self.look.width {
            Some(width) => line.cut(width, self.look.marks.ellipsis),
            None => line,
        }
    }
}

#[cfg(test)]
mod tests;
