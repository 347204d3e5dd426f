//! Collects the input of the HTML report.

use std::io;

use chrono::{DateTime, FixedOffset, Utc};
use html_report::PageInput;
use project::Layout;

use super::diffs;
use super::file::read_with_view;

/// `None` if the run has no log.
pub(crate) fn html(
    layout: &Layout,
    run: &str,
    now: DateTime<Utc>,
    offset: FixedOffset,
) -> io::Result<Option<String>> {
    let Some((view, report)) = read_with_view(layout, run)? else { return Ok(None) };
    Ok(Some(html_report::report(&PageInput {
        run,
        view: &view,
        state: report.state,
        diffs: &diffs(layout, &view),
        next_steps: &report.next,
        now,
        offset,
        unread_lines: report.unread_lines,
        log: &report.log,
    })))
}
