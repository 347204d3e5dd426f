//! The state of a run, from its event log.

use std::io;

use events::run_logs::{self, LogRead};
use events::{LoopKind, StartView};
use project::{Layout, RunLock};
use tasks::ReviewPolicy;

use super::{RunState, RunStatus};
use crate::report::RunView;

/// The run with the latest event.
pub(crate) fn newest_run(layout: &Layout) -> io::Result<Option<RunStatus>> {
    let Some(id) = run_logs::latest(layout)? else { return Ok(None) };
    RunStatus::read(layout, &id, |_| RunLock::is_held(layout))
}

impl RunStatus {
    /// `None` if the run has no log.
    pub(crate) fn read(
        layout: &Layout,
        id: &str,
        is_alive: impl FnOnce(&RunView) -> bool,
    ) -> io::Result<Option<Self>> {
        let mut view = RunView::default();
        let log = run_logs::read(layout, id, |stamped| view.apply(&stamped))?;
        let Some(LogRead { unread, check: log, .. }) = log else { return Ok(None) };
        // A log without events has no run id.
        view.id = id.to_owned();
        Ok(Some(Self {
            state: RunState::of(view.end.as_ref(), is_alive(&view)),
            folder: format!(".ralph/runs/{id}"),
            view,
            unread_lines: unread.lines,
            newer_lines: unread.newer,
            log,
        }))
    }

    /// `None` for a story loop, and for a run without a start event.
    pub(super) fn prompt_loop(&self) -> Option<&StartView> {
        self.view.start.as_ref().filter(|start| start.kind != LoopKind::Stories)
    }

    /// The run's review policy; `None` without stories.
    pub(crate) fn review_policy(&self) -> Option<ReviewPolicy> {
        let start = self.view.start.as_ref().filter(|start| start.kind == LoopKind::Stories)?;
        let required = |cap| ReviewPolicy::Required { cap };
        Some(start.review_cap.map_or(ReviewPolicy::Skipped, required))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::report::test_events;

    #[test]
    fn the_newest_run_folds_to_what_its_events_fold_to() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        assert_eq!(newest_run(&layout).unwrap(), None);
        for (id, text) in [
            ("20261114-230000-ffff", String::new()),
            (
                "20261115-010000-ab12",
                test_events::a_run().iter().map(|event| event.to_line() + "\n").collect(),
            ),
        ] {
            fs::create_dir_all(layout.run_dir(id)).unwrap();
            fs::write(layout.run_dir(id).join("events.jsonl"), text + "{}\n").unwrap();
        }
        let mut view = RunView::default();
        test_events::a_run().iter().for_each(|stamped| view.apply(stamped));
        let folder = ".ralph/runs/20261115-010000-ab12".to_owned();
        let read = newest_run(&layout).unwrap().unwrap();
        assert_eq!(read.log.state, events::LogState::NotChained);
        let (state, log) = (RunState::Ended, read.log.clone());
        let expected = RunStatus { state, folder, view, unread_lines: 1, newer_lines: 0, log };
        assert_eq!(read, expected);
    }
}
