//! What the sessions do, on standard error: a long review must not look stuck.

use std::io;

use chrono::{Offset, Utc};
use engine::Observer;
use events::{LoopEvent, RunView, Stamped};
use run_options::{ReviewLens, Word};

use crate::command_error;

pub(super) struct Progress {
    lenses: Vec<ReviewLens>,
    /// Also the tool calls.
    is_verbose: bool,
    view: RunView,
}

impl Progress {
    pub(super) fn new(lenses: &[ReviewLens], is_verbose: bool) -> Self {
        Self { lenses: lenses.to_vec(), is_verbose, view: RunView::default() }
    }

    fn text(&self, stamped: &Stamped) -> Option<String> {
        match &stamped.event {
            LoopEvent::AgentCalled { agent, .. } => Some(format!("reviewing with {agent}")),
            LoopEvent::LanePrepared { .. } => None,
            LoopEvent::Warning { .. }
            | LoopEvent::TimeWarning { .. }
            | LoopEvent::HookMissing { .. }
            | LoopEvent::ApiRetry { .. }
            | LoopEvent::AgentEnded(_) => self.described(stamped),
            _ if self.is_verbose => self.described(stamped),
            _ => None,
        }
    }

    fn described(&self, stamped: &Stamped) -> Option<String> {
        let statements = events::describe::describe(stamped, &self.view, Utc.fix());
        events::describe::one_line(&statements).map(|(_, text)| text)
    }
}

impl Observer for Progress {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        if let Some(text) = self.text(stamped) {
            let place = stamped.lane.and_then(|lane| usize::try_from(lane).ok()?.checked_sub(1));
            let lens = place.and_then(|place| self.lenses.get(place));
            let lens = lens.map_or("review", |lens| lens.name());
            command_error::say(&format!("{lens}: {text}"), &mut anstream::stderr());
        }
        self.view.apply(stamped);
        Ok(())
    }
}
