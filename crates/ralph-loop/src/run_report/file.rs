//! The report of a recorded run: as data, as HTML, and as `report.md` in the run's folder.

use std::io;

use chrono::FixedOffset;
use events::run_is_alive;
use html_report::{Answers, PageInput};
use project::Layout;

use super::{RunReport, diffs, markdown};
use crate::status::RunStatus;

const FILE: &str = "report.md";

/// `None` if the run has no log.
pub(crate) fn read(layout: &Layout, run: &str) -> io::Result<Option<RunReport>> {
    Ok(recorded(layout, run)?.map(|run| RunReport::of(&run)))
}

pub(crate) fn recorded(layout: &Layout, run: &str) -> io::Result<Option<RunStatus>> {
    RunStatus::read(layout, run, |view| {
        run_is_alive(layout, view.start.as_ref().map(|start| start.pid))
    })
}

pub(crate) fn write(layout: &Layout, run: &str, offset: FixedOffset) -> io::Result<()> {
    let Some(report) = read(layout, run)? else { return Ok(()) };
    let text = markdown(&report, offset);
    project::replace_whole(&layout.run_dir(run).join(FILE), text.as_bytes())
}

/// `None` if the run has no log.
pub(crate) fn html(layout: &Layout, run: &str, offset: FixedOffset) -> io::Result<Option<String>> {
    let page = |recorded: RunStatus| {
        html_report::report(&PageInput {
            run,
            view: &recorded.view,
            state: recorded.state,
            diffs: &diffs(layout, &recorded.view),
            next_steps: &RunReport::of(&recorded).next,
            answers: &Answers::default(),
            now: events::now(),
            offset,
            unread_lines: recorded.unread_lines,
            log: &recorded.log,
        })
    };
    Ok(recorded(layout, run)?.map(page))
}

#[cfg(test)]
mod tests {
    use events::{LoopEvent, Stamped};
    use project::RunLock;

    use super::*;
    use crate::report::test_events::{RUN, a_prompt_loop, a_run_with_failures, log};
    use crate::status::RunState;

    fn project(events: &[Stamped]) -> (assert_fs::TempDir, Layout) {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir_all(layout.run_dir(RUN)).unwrap();
        std::fs::write(layout.run_dir(RUN).join("events.jsonl"), log(events)).unwrap();
        (dir, layout)
    }

    fn state(layout: &Layout) -> RunState {
        read(layout, RUN).unwrap().unwrap().state
    }

    #[test]
    fn a_run_is_running_while_its_own_process_holds_the_lock() {
        let mut events = a_run_with_failures();
        events.pop();
        let (_dir, of_another) = project(&events);
        let _lock = RunLock::acquire(&of_another).unwrap();
        assert_eq!(state(&of_another), RunState::Died);
        let LoopEvent::RunStarted { start, .. } = &mut events[0].event else { unreachable!() };
        start.pid = std::process::id();
        let (_dir, own) = project(&events);
        assert_eq!(state(&own), RunState::Died);
        let _lock = RunLock::acquire(&own).unwrap();
        assert_eq!(state(&own), RunState::Running);
    }

    #[test]
    fn unreadable_lines_are_counted() {
        let (_dir, layout) = project(&a_run_with_failures());
        let log = layout.run_dir(RUN).join("events.jsonl");
        let text = std::fs::read_to_string(&log).unwrap();
        std::fs::write(&log, format!("{{}}\n{text}")).unwrap();
        let report = read(&layout, RUN).unwrap().unwrap();
        assert_eq!((report.unread_lines, report.completed.len()), (1, 3));
        let text = markdown(&report, chrono::Offset::fix(&chrono::Utc));
        assert!(text.contains("\n1 line of its log is unreadable: "), "{text}");
    }

    #[test]
    fn a_log_without_events_has_a_report() {
        let (_dir, layout) = project(&[]);
        let report = read(&layout, RUN).unwrap().unwrap();
        assert_eq!((report.run.as_str(), report.state), (RUN, RunState::Died));
        assert_eq!(read(&layout, "20261115-010000-ffff").unwrap(), None);
    }

    #[test]
    fn a_run_of_either_kind_leaves_a_file() {
        let written = |events: &[Stamped]| {
            let (_dir, layout) = project(events);
            write(&layout, RUN, chrono::Offset::fix(&chrono::Utc)).unwrap();
            let text = std::fs::read_to_string(layout.run_dir(RUN).join(FILE)).ok()?;
            let log = read(&layout, RUN).unwrap()?.log;
            Some(text.replace(&log.figures(), "57 events, sha256 9f86"))
        };
        let story_loop = written(&a_run_with_failures());
        assert_eq!(story_loop.as_deref(), Some(include_str!("a_run_with_failures.md")));
        let prompt_loop = written(&a_prompt_loop(events::LoopKind::Prompt, "main", 0.0)).unwrap();
        assert!(
            prompt_loop.contains("\n**PROMPT.md**: **complete** (exit code 0)."),
            "{prompt_loop}"
        );
    }
}
