//! The runs of a project on disk: their ids, the latest one, and the events of one, line by line, for logs of any
//! length.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use crate::{ChainLink, EventLineError, LogHead, Stamped};
use bounded_read::FileError;
use chrono::{DateTime, Utc};
use project::Layout;

use crate::chain::{Chain, LogCheck};

/// No event is this long: a longer line is skipped and not kept in memory.
pub const LONGEST_LINE: u64 = 16 * 1024 * 1024;

/// No run writes so much; the rest is not read. An agent can create a file of any length.
pub const LONGEST_LOG: u64 = 4 * 1024 * 1024 * 1024;

/// About one iteration of a talkative agent.
const NEAR_THE_END: u64 = 1024 * 1024;

/// The length of `YYYYMMDD-HHMMSS`, the start of an id.
const SECOND: usize = 15;

/// Lines of a log that this program cannot parse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnparsedLines {
    pub lines: u64,
    /// How many of them a newer version wrote.
    pub newer: u64,
}

/// The ids of runs with a log, newest first.
pub fn ids(layout: &Layout) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(layout.runs()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let has_log = |id: &String| layout.run_dir(id).join("events.jsonl").symlink_metadata().is_ok();
    let mut ids: Vec<String> = names.filter(|name| is_run_id(name)).filter(has_log).collect();
    ids.sort_unstable_by(|one, other| other.cmp(one));
    // Ids of the same second have random ends.
    for second in ids.chunk_by_mut(|one, other| one[..SECOND] == other[..SECOND]) {
        if second.len() > 1 {
            second.sort_by_cached_key(|id| {
                std::cmp::Reverse(first(layout, id).map(|first| first.at))
            });
        }
    }
    Ok(ids)
}

/// The run with the latest event: the newest, unless an older one was resumed since. `None` without runs.
///
/// The modification time shows which log was written last, and its events confirm it: copying a project changes
/// modification times.
pub fn latest(layout: &Layout) -> io::Result<Option<String>> {
    let ids = ids(layout)?;
    let Some(newest) = ids.first() else { return Ok(None) };
    let written = |id: &&String| {
        layout
            .run_dir(id)
            .join("events.jsonl")
            .symlink_metadata()
            .and_then(|log| log.modified())
            .ok()
    };
    let latest = ids.iter().rev().max_by_key(written).unwrap_or(newest);
    let is_later =
        latest != newest && last_event_time(layout, latest) > last_event_time(layout, newest);
    Ok(Some(if is_later { latest } else { newest }.clone()))
}

/// The time of its last event.
pub(crate) fn last_event_time(layout: &Layout, id: &str) -> Option<DateTime<Utc>> {
    let mut at = None;
    near_the_end(layout, id, |stamped| at = Some(stamped.at))?;
    at
}

/// The log of a run; `None` if it has none.
pub(crate) fn open(layout: &Layout, id: &str) -> io::Result<Option<BufReader<File>>> {
    match bounded_read::open_regular(&layout.run_dir(id).join("events.jsonl")) {
        Ok((file, _)) => Ok(Some(BufReader::new(file))),
        Err(FileError::Absent) => Ok(None),
        Err(FileError::Io(error)) => Err(error),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// The result of reading a whole log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRead {
    pub unread: UnparsedLines,
    pub check: LogCheck,
    /// Up to the end of the last complete line.
    pub bytes: u64,
}

/// Passes every event of a run to `apply`; `None` if it has no log.
pub fn read(layout: &Layout, id: &str, apply: impl FnMut(Stamped)) -> io::Result<Option<LogRead>> {
    read_first(LONGEST_LOG, layout, id, apply)
}

/// The same, limited to so many bytes.
pub(crate) fn read_first(
    bytes: u64,
    layout: &Layout,
    id: &str,
    apply: impl FnMut(Stamped),
) -> io::Result<Option<LogRead>> {
    // Before the log, which may grow meanwhile: a line is written before a state names it.
    let mut chain = Chain::holding(crate::saved_log_head(layout, id));
    let Some(log) = open(layout, id)? else { return Ok(None) };
    let push = |line: &[u8], link| chain.push(line, link);
    let (unread, bytes) = read_whole_lines(log.take(bytes), push, all(apply))?;
    Ok(Some(LogRead { unread, check: chain.check(), bytes }))
}

/// The chain of a log that must contain the line of `saved`, and the length of its complete lines in bytes.
pub fn chain(log: impl BufRead, saved: Option<LogHead>) -> io::Result<(Chain, u64)> {
    let mut chain = Chain::holding(saved);
    let bytes = each_line(log, |line| {
        chain.push(line, ChainLink::of_line(line));
        ControlFlow::Continue(())
    })?;
    Ok((chain, bytes))
}

/// Passes every line to `chain`, and events to `apply` until it breaks. An incomplete last line is not passed. Returns
/// also the bytes up to the end of the last complete line.
pub(crate) fn read_whole_lines(
    log: impl BufRead,
    mut chain: impl FnMut(&[u8], Option<ChainLink>),
    mut apply: impl FnMut(Stamped) -> ControlFlow<()>,
) -> io::Result<(UnparsedLines, u64)> {
    let mut unread = UnparsedLines::default();
    let bytes = each_line(log, |line| {
        let (link, event) = Stamped::from_linked_line(line);
        chain(line, link);
        match event {
            Ok(stamped) => return apply(stamped),
            Err(error) => {
                unread.lines += 1;
                unread.newer += u64::from(matches!(error, EventLineError::Newer(_)));
            }
        }
        ControlFlow::Continue(())
    })?;
    Ok((unread, bytes))
}

/// Passes on every event.
pub(crate) fn all(mut apply: impl FnMut(Stamped)) -> impl FnMut(Stamped) -> ControlFlow<()> {
    move |stamped| {
        apply(stamped);
        ControlFlow::Continue(())
    }
}

/// Passes complete lines without their end to `each` until it breaks; too long ones are cut. Returns the bytes up
/// to the end of the last one.
fn each_line(
    mut log: impl BufRead,
    mut each: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> io::Result<u64> {
    let (mut bytes, mut line) = (0, Vec::new());
    loop {
        line.clear();
        let mut length = (&mut log).take(LONGEST_LINE).read_until(b'\n', &mut line)? as u64;
        let enough = match line.split_last() {
            Some((b'\n', line)) => each(line),
            Some(_) if length == LONGEST_LINE => {
                length += log.skip_until(b'\n')? as u64;
                each(&line)
            }
            _ => return Ok(bytes),
        };
        bytes += length;
        if enough.is_break() {
            return Ok(bytes);
        }
    }
}

/// The first event of a run.
fn first(layout: &Layout, id: &str) -> Option<Stamped> {
    let log = open(layout, id).ok()??;
    let mut line = Vec::new();
    log.take(LONGEST_LINE).read_until(b'\n', &mut line).ok()?;
    Stamped::from_line(&line).ok()
}

fn near_the_end(layout: &Layout, id: &str, apply: impl FnMut(Stamped)) -> Option<()> {
    let mut log = open(layout, id).ok()??;
    let length = log.get_ref().metadata().ok()?.len();
    log.seek(SeekFrom::Start(length.saturating_sub(NEAR_THE_END))).ok()?;
    // If it begins within a line, that is not an event.
    read_whole_lines(log.take(NEAR_THE_END), |_, _| {}, all(apply)).ok().map(drop)
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
    use crate::LoopEvent;
    use crate::samples as test_events;

    fn text() -> String {
        test_events::a_run().iter().map(|stamped| stamped.to_line() + "\n").collect()
    }

    fn events(log: impl BufRead) -> (Vec<Stamped>, UnparsedLines) {
        let mut events = Vec::new();
        let read = read_whole_lines(log, |_, _| {}, all(|stamped| events.push(stamped)));
        let (unread, _) = read.unwrap();
        (events, unread)
    }

    #[test]
    fn a_log_is_parsed_back_to_its_events() {
        assert_eq!(events(text().as_bytes()), (test_events::a_run(), UnparsedLines::default()));
    }

    #[test]
    fn an_incomplete_last_line_is_left_for_later() {
        let text = text();
        let (read, unread) = events(&text.as_bytes()[..text.len() - 3]);
        assert_eq!((read.len(), unread.lines), (test_events::a_run().len() - 1, 0));
    }

    #[test]
    fn unparsed_lines_are_counted_and_the_rest_is_read() {
        let unknown = r#"{"v":1,"at":"2026-11-15T01:02:03Z","run":"r","type":"dance"}"#;
        let newer = r#"{"v":9,"at":"2026-11-15T01:02:03Z","run":"r","type":"warning"}"#;
        let torn = r#"{"v":1,"at":"20"#;
        let odd = format!("{unknown}\n{newer}\n{torn}\n\u{0}\n{}", text());
        assert_eq!(
            events(odd.as_bytes()),
            (test_events::a_run(), UnparsedLines { lines: 4, newer: 1 })
        );
    }

    #[test]
    fn a_line_without_end_is_skipped_and_not_kept() {
        let endless = io::repeat(b'x').take(LONGEST_LINE * 2 + 5);
        let text = format!("\n{}", text());
        let (read, unread) = events(BufReader::new(endless.chain(text.as_bytes())));
        assert_eq!((unread.lines, read), (1, test_events::a_run()));
    }

    #[test]
    fn a_huge_log_is_read_up_to_the_limit() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        const ID: &str = "20261115-010000-ab12";
        fs::create_dir_all(layout.run_dir(ID)).unwrap();
        let log = layout.run_dir(ID).join("events.jsonl");
        fs::write(&log, text()).unwrap();
        // A sparse file.
        File::options().write(true).open(&log).unwrap().set_len(1 << 42).unwrap();
        let mut events = 0;
        let read = read_first(64 << 20, &layout, ID, |_| events += 1).unwrap().unwrap();
        assert_eq!((events, read.unread.lines), (test_events::a_run().len(), 1));
    }

    #[test]
    fn runs_with_events_come_newest_first() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        assert!(ids(&layout).unwrap().is_empty());
        for name in ["20261114-230000-ffff", "20261115-010000-ab12", "20261115-020000-0000", "zzz"]
        {
            fs::create_dir_all(layout.run_dir(name)).unwrap();
        }
        assert!(ids(&layout).unwrap().is_empty());
        for name in ["20261114-230000-ffff", "20261115-010000-ab12", "zzz"] {
            fs::write(layout.run_dir(name).join("events.jsonl"), "").unwrap();
        }
        assert_eq!(ids(&layout).unwrap(), ["20261115-010000-ab12", "20261114-230000-ffff"]);
    }

    #[test]
    fn runs_of_one_second_sort_by_their_first_event() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let names = ["20261115-010000-0001", "20261115-010000-ffff", "20261115-010000-8888"];
        for (id, millisecond) in names.into_iter().zip([900, 100, 500]) {
            let mut first = test_events::a_run().swap_remove(0);
            first.at += chrono::TimeDelta::milliseconds(millisecond);
            fs::create_dir_all(layout.run_dir(id)).unwrap();
            fs::write(layout.run_dir(id).join("events.jsonl"), first.to_line() + "\n").unwrap();
        }
        assert_eq!(
            ids(&layout).unwrap(),
            ["20261115-010000-0001", "20261115-010000-8888", "20261115-010000-ffff"]
        );
    }

    #[test]
    fn a_resumed_older_run_is_the_latest() {
        const OLD: &str = "20261115-010000-0001";
        const NEW: &str = "20261115-020000-0002";
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        assert_eq!(latest(&layout).unwrap(), None);
        let log = |id: &str| layout.run_dir(id).join("events.jsonl");
        let write = |id: &str, second: i64| {
            let event = test_events::stamped(second, LoopEvent::Resumed);
            fs::create_dir_all(layout.run_dir(id)).unwrap();
            let file = File::options().create(true).append(true).open(log(id));
            io::Write::write_all(&mut file.unwrap(), (event.to_line() + "\n").as_bytes()).unwrap();
        };
        let written = |id: &str, second: u64| {
            let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(second);
            File::options().append(true).open(log(id)).unwrap().set_modified(at).unwrap();
        };
        let latest = || latest(&layout).unwrap().unwrap();
        write(OLD, 1);
        write(NEW, 2);
        written(OLD, 10);
        written(NEW, 10);
        assert_eq!(latest(), NEW);
        // As in a copy.
        written(OLD, 11);
        assert_eq!(latest(), NEW);
        write(OLD, 3);
        written(OLD, 11);
        assert_eq!(latest(), OLD);
        write(NEW, 4);
        written(NEW, 12);
        assert_eq!(latest(), NEW);
    }
}
