//! Collects the input of the HTML report.

use std::io;

use chrono::{DateTime, FixedOffset, Utc};
use events::{History, RunState, run_is_alive, run_logs};
use html_report::PageInput;
use project::Layout;

use super::{Gathering, NextStep, RunReport, diffs};

/// `None` if the run has no log.
pub(crate) fn html(
    layout: &Layout,
    run: &str,
    now: DateTime<Utc>,
    offset: FixedOffset,
) -> io::Result<Option<String>> {
    let (mut history, mut gathering) = (History::default(), Gathering::default());
    let log = run_logs::read(layout, run, |stamped| {
        history.apply(&stamped);
        gathering.apply(&stamped);
    })?;
    let Some(log) = log else { return Ok(None) };
    let is_alive = run_is_alive(layout, gathering.pid());
    let report = gathering.report(is_alive, log);
    Ok(Some(html_report::report(&PageInput {
        run,
        history: &history,
        state: RunState::of(history.view.end.as_ref(), is_alive),
        diffs: &diffs(layout, &history),
        next_steps: &report.html_steps(),
        now,
        offset,
        unread_lines: report.unread_lines,
        log: &report.log,
    })))
}

impl RunReport {
    /// The next steps in the type of `html_report`.
    pub(crate) fn html_steps(&self) -> Vec<html_report::NextStep> {
        let step = |step: &NextStep| html_report::NextStep {
            text: step.text.clone(),
            commands: step.commands.clone(),
        };
        self.next.iter().map(step).collect()
    }
}
