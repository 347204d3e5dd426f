//! Live output of a run: each format is one reporter that receives every event.
//!
//! Reporters depend on events only, never on the engine's state. `status` shows recorded runs.

mod dashboard_reporter;
mod event_log;
mod human;
mod line;
mod line_renderer;
mod look;
mod plain;
mod reporters;
mod run_file;
mod screen;
mod session_log;
mod status_line;
mod table;
mod terminal;

use std::io;

use events::Stamped;

pub(crate) use dashboard_reporter::DashboardReporter;
pub(crate) use events::describe::{FailedStoryText, context, failed_story_text};
pub(crate) use events::format::{
    age, count, duration, moment, money, per_cent, review_state, span,
};
#[cfg(test)]
pub(crate) use events::samples as test_events;
pub use events::{
    Activity, CheckView, CompactionView, EndView, HandoffView, IterationRecord, MemoryView, Pause,
    PromptView, RunView, StartView, TodoView, ToolCalls, ToolView, Verdict, WaitView,
};
pub(crate) use events::{Role, blocked, format, waiting};
pub use human::{HumanOptions, OutputLimits, VerboseLines, verbose_line};
pub(crate) use line::{Line, wrapped};
pub(crate) use line_renderer::{StoryTable, reviews, story_table};
pub use look::{Look, Marks, Palette};
pub use plain::Plain;
pub use reporters::{ReportError, Reporters};
pub(crate) use sanitize::{block as neutral_block, line as neutral_line};
pub use session_log::SessionLog;
pub(crate) use table::{Align, Column, table};
pub use terminal::Terminal;

/// One output format with one destination.
pub trait Reporter {
    /// Names the destination in write errors.
    fn name(&self) -> &'static str;

    fn event(&mut self, stamped: &Stamped) -> io::Result<()>;
}

/// Whether a write failed because the output was closed: the run continues then. Other errors are returned.
fn is_closed(written: io::Result<()>) -> io::Result<bool> {
    // Unix returns EIO for a terminal that hung up; `ErrorKind` has no variant for it.
    const EIO: i32 = 5;
    match written {
        Ok(()) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(true),
        Err(error) if cfg!(unix) && error.raw_os_error() == Some(EIO) => Ok(true),
        Err(error) => Err(error),
    }
}
