//! Live output of a run: each format is one reporter that receives every event.
//!
//! Reporters depend on events only, never on the engine's state. `status` shows recorded runs.

mod dashboard_reporter;
mod event_log;
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

use events::{LoopKind, Stamped};

pub(crate) use dashboard_reporter::DashboardReporter;
pub(crate) use event_log::EventLog;
pub(crate) use events::describe::failed_story_text;
pub(crate) use events::format::{age, count, duration, moment, money, per_cent, span, story_state};
#[cfg(test)]
pub(crate) use events::samples as test_events;
pub(crate) use events::{Role, RunView, format};
pub(crate) use line::{Line, beginning};
pub(crate) use line_renderer::{
    LineRenderer, StoryTable, VerboseLines, lane_prefix, prefixed, reviews, story_table,
    verbose_line,
};
pub(crate) use look::{Look, Marks, Palette};
pub(crate) use plain::Plain;
pub(crate) use reporters::Reporters;
pub(crate) use sanitize::{block as neutral_block, line as neutral_line, wrapped};
pub(crate) use session_log::SessionLog;
pub(crate) use status_line::{compaction_parts, iteration_parts, tagged_lane_parts};
pub(crate) use table::{Align, Column, table};
pub(crate) use terminal::Terminal;

/// `None` for a loop over stories.
pub(crate) fn prompt_loop_name(kind: LoopKind) -> Option<&'static str> {
    match kind {
        LoopKind::Stories => None,
        LoopKind::Plan => Some("plan loop"),
        LoopKind::Build => Some("build loop"),
        LoopKind::Prompt => Some("prompt loop"),
    }
}

/// The state after an event.
fn after(view: &RunView, stamped: &Stamped) -> RunView {
    let mut view = view.clone();
    view.apply(stamped);
    view
}

/// One output format with one destination.
pub(crate) trait Reporter {
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
