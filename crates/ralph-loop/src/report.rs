//! What a run looks like from outside: each format is one reporter, fed with events one by one.
//!
//! Not here: what happened (`engine::LoopEvent` says it) and what a run of another time looks like
//! now (`status`). No reporter asks the engine anything.

mod audience;
pub(crate) mod estimate;
mod human;
mod json_lines;
mod line;
mod look;
mod neutral;
mod plain;
mod reporters;
mod run_view;
mod screen;
mod script;
mod session_log;
mod status_line;
mod table;
mod terminal;
#[cfg(test)]
pub(crate) mod test_events;
mod verbose;
mod waiting;
pub(crate) mod words;

use std::io;

use engine::Stamped;

pub use human::{AgentStream, HumanOptions, OutputLimits, Timestamps, Verbosity};
pub use json_lines::JsonLines;
pub(crate) use line::{Line, Role, wrapped};
pub use look::{Look, Marks, Palette};
pub(crate) use neutral::{block as neutral_block, line as neutral_line};
pub use plain::Plain;
pub use reporters::{ReportError, Reporters};
pub use run_view::{
    Activity, CompactionView, Company, EndView, GateView, HandoffView, IterationView, MemoryView,
    PromptView, RestView, RunView, StartView, TodoView, ToolCalls, ToolView, Verdict,
};
pub(crate) use script::{FailedInWords, StoryTable, failed_in_words, reviews, story_table};
pub use session_log::SessionLog;
pub(crate) use status_line::context;
pub(crate) use table::{Align, Column, Room, table};
pub use terminal::Terminal;
pub use verbose::{Verbose, verbose_line};
pub(crate) use waiting::{blocked, waiting};
pub(crate) use words::{
    age, count, duration, moment, money, per_cent, span, state_in_words, state_role, tokens,
};

/// One format, one place that it is written to.
pub trait Reporter {
    /// For the message when writing fails.
    fn name(&self) -> &'static str;

    fn event(&mut self, stamped: &Stamped) -> io::Result<()>;
}
