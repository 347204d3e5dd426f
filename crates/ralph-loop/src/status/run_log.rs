//! The newest run's `events.jsonl`, folded line by line, however long it is and however it ends.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};

use bounded_read::FileError;
use engine::{EventLineError, LoopKind, Stamped};
use project::Layout;
use tasks::ReviewPolicy;

use crate::report::RunView;

/// No event is this long; what is longer is not one and is not kept in memory either.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunLog {
    /// From the project.
    pub folder: String,
    pub view: RunView,
    pub unread_lines: u64,
    pub newer_lines: u64,
}

/// The run that was started last; `None` if there was none.
pub fn newest_run(layout: &Layout) -> io::Result<Option<RunLog>> {
    let runs = layout.data_dir().join("runs");
    let entries = match fs::read_dir(&runs) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        entries => entries?,
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut ids: Vec<String> = names.filter(|name| is_run_id(name)).collect();
    ids.sort_unstable();
    for id in ids.into_iter().rev() {
        match bounded_read::open_regular(&runs.join(&id).join("events.jsonl")) {
            Ok((file, _)) => {
                let folder = format!(".ralph/runs/{id}");
                return Ok(Some(RunLog { folder, ..RunLog::read(BufReader::new(file))? }));
            }
            // A run that has not said anything yet.
            Err(FileError::Absent) => {}
            Err(FileError::Io(error)) => return Err(error),
            Err(error) => return Err(io::Error::other(error)),
        }
    }
    Ok(None)
}

impl RunLog {
    /// How the run has stories reviewed; `None` if it is not about stories.
    pub fn review_policy(&self) -> Option<ReviewPolicy> {
        let start = self.view.start.as_ref().filter(|start| start.kind == LoopKind::Stories)?;
        let required = |cap| ReviewPolicy::Required { cap };
        Some(start.review_cap.map_or(ReviewPolicy::Skipped, required))
    }

    fn read(mut lines: impl BufRead) -> io::Result<Self> {
        let mut log = Self::default();
        let mut line = Vec::new();
        loop {
            line.clear();
            (&mut lines).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
            match line.last() {
                None => return Ok(log),
                Some(b'\n') => log.apply(&line),
                Some(_) if (line.len() as u64) < LONGEST_LINE => {
                    // Its writer is in the middle of it, or was killed there.
                    return Ok(log);
                }
                Some(_) => {
                    log.unread_lines += 1;
                    lines.skip_until(b'\n')?;
                }
            }
        }
    }

    fn apply(&mut self, line: &[u8]) {
        match Stamped::from_line(line) {
            Ok(stamped) => self.view.apply(&stamped),
            Err(EventLineError::Newer(_)) => {
                self.unread_lines += 1;
                self.newer_lines += 1;
            }
            Err(EventLineError::NotAnEvent(_)) => self.unread_lines += 1,
        }
    }
}

/// `YYYYMMDD-HHMMSS-xxxx`: other folders are not runs, and these sort by time.
fn is_run_id(name: &str) -> bool {
    let mut parts = name.splitn(3, '-');
    let mut digits = |count: usize| {
        parts.next().is_some_and(|p| p.len() == count && p.bytes().all(|b| b.is_ascii_digit()))
    };
    digits(8) && digits(6) && parts.next().is_some_and(|rest| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::test_events;

    fn text() -> String {
        test_events::a_run().iter().map(|stamped| stamped.to_line() + "\n").collect()
    }

    fn folded() -> RunView {
        let mut view = RunView::default();
        test_events::a_run().iter().for_each(|stamped| view.apply(stamped));
        view
    }

    #[test]
    fn a_log_folds_to_what_its_events_fold_to() {
        let log = RunLog::read(text().as_bytes()).unwrap();
        assert_eq!(log, RunLog { view: folded(), ..RunLog::default() });
    }

    #[test]
    fn half_a_last_line_is_left_for_later() {
        let text = text();
        let log = RunLog::read(&text.as_bytes()[..text.len() - 3]).unwrap();
        assert_eq!((log.unread_lines, log.view.end.is_none()), (0, true));
    }

    #[test]
    fn lines_that_are_not_understood_are_counted_and_the_rest_is_read() {
        let unknown = r#"{"v":1,"at":"2026-11-15T01:02:03Z","run":"r","type":"dance"}"#;
        let newer = r#"{"v":9,"at":"2026-11-15T01:02:03Z","run":"r","type":"warning"}"#;
        let torn = r#"{"v":1,"at":"20"#;
        let odd = format!("{unknown}\n{newer}\n{torn}\n\u{0}\n{}", text());
        let log = RunLog::read(odd.as_bytes()).unwrap();
        assert_eq!((log.unread_lines, log.newer_lines), (4, 1));
        assert_eq!(log.view, folded());
    }

    #[test]
    fn a_line_without_end_is_skipped_and_not_kept() {
        let endless = io::repeat(b'x').take(LONGEST_LINE * 2 + 5);
        let text = format!("\n{}", text());
        let log = RunLog::read(BufReader::new(endless.chain(text.as_bytes()))).unwrap();
        assert_eq!((log.unread_lines, log.view), (1, folded()));
    }

    #[test]
    fn the_newest_run_that_said_something_is_found() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        assert_eq!(newest_run(&layout).unwrap(), None);
        let runs = dir.path().join(".ralph/runs");
        for name in ["20261114-230000-ffff", "20261115-010000-ab12", "20261115-020000-0000", "zzz"]
        {
            fs::create_dir_all(runs.join(name)).unwrap();
        }
        assert_eq!(newest_run(&layout).unwrap(), None);
        for name in ["20261114-230000-ffff", "20261115-010000-ab12", "zzz"] {
            fs::write(runs.join(name).join("events.jsonl"), "").unwrap();
        }
        let found = newest_run(&layout).unwrap().unwrap();
        assert_eq!(found.folder, ".ralph/runs/20261115-010000-ab12");
    }
}
