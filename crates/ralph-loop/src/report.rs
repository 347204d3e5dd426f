//! What a run looks like from outside: each format is one reporter, fed with events one by one.
//!
//! Not here: what happened (`engine::LoopEvent` says it) and what a run of another time looks like
//! now (`status`). No reporter asks the engine anything.

mod audience;
pub(crate) mod estimate;
mod event_log;
mod human;
mod line;
mod look;
mod on_stage;
mod plain;
mod reporters;
mod run_file;
mod screen;
mod script;
mod session_log;
mod status_line;
mod table;
mod terminal;
mod verbose;

use std::io;

use engine::Stamped;

#[cfg(test)]
pub(crate) use events::samples as test_events;
pub(crate) use events::words::{
    age, count, duration, moment, money, per_cent, span, state_in_words, state_role, tokens,
};
pub use events::{
    Activity, CompactionView, Company, EndView, GateView, HandoffView, IterationView, MemoryView,
    Pause, PromptView, RestView, RunView, StartView, TodoView, ToolCalls, ToolView, Verdict,
};
pub(crate) use events::{Role, blocked, waiting, words};
pub use human::{AgentStream, HumanOptions, OutputLimits, Timestamps, Verbosity};
pub(crate) use line::{Line, wrapped};
pub use look::{Look, Marks, Palette};
pub(crate) use on_stage::OnStage;
pub use plain::Plain;
pub use reporters::{ReportError, Reporters};
pub(crate) use sanitize::{block as neutral_block, line as neutral_line};
pub(crate) use script::{FailedInWords, StoryTable, failed_in_words, reviews, story_table};
pub use session_log::SessionLog;
pub(crate) use status_line::context;
pub(crate) use table::{Align, Column, Room, table};
pub use terminal::Terminal;
pub use verbose::{Verbose, verbose_line};

/// One format, one place that it is written to.
pub trait Reporter {
    /// For the message when writing fails.
    fn name(&self) -> &'static str;

    fn event(&mut self, stamped: &Stamped) -> io::Result<()>;
}
