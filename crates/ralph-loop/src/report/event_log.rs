//! `events.jsonl`: every event of a run, each line with its number and the digest of the line before.
//!
//! The one owner of that chain. It remembers the last line that it wrote, so a log that something else
//! wrote to does not fit any more: the next line follows the runner's own last one, and not what lies
//! there.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use engine::{Link, LogHead, LoopEvent, Stamped};
use events::{Chain, LogCheck, run_logs};

use super::run_file::{self, Found, Stat};

/// For so many times as long as it took to read a log, one that was only touched is not read again: an
/// agent that goes on touching it must not keep the runner from its work.
const REST: u32 = 10;

#[derive(Debug)]
pub(crate) struct EventLog {
    path: PathBuf,
    file: File,
    /// The last line that the runner wrote.
    head: Option<LogHead>,
    /// All lines of the file.
    lines: Chain,
    /// The file after the last write; `None` if that failed.
    left: Option<Stat>,
    rests_until: Instant,
}

/// How closely the file is inspected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// It is read only if it does not look as it was left.
    Glance,
    Whole,
}

impl EventLog {
    /// Goes on with the log at `path`, or starts it. The event says that it does not hold the line of
    /// `saved`, or that lines do not follow each other.
    pub(crate) fn open(
        path: &Path,
        saved: Option<LogHead>,
    ) -> io::Result<(Self, Option<LoopEvent>)> {
        let (file, found) = run_file::open(path)?;
        let mut log = Self {
            path: path.to_owned(),
            file,
            head: saved,
            lines: Chain::default(),
            left: None,
            rests_until: Instant::now(),
        };
        let altered = log.read(found, |lines| {
            saved.is_none_or(|saved| !lines.misses_saved() && lines.breaks() <= saved.breaks)
        })?;
        if altered.is_none() {
            log.head = log.lines.head();
        }
        Ok((log, altered))
    }

    /// The event says that something else wrote to the log since the runner did.
    pub(crate) fn inspect(&mut self, look: Look) -> io::Result<Option<LoopEvent>> {
        if look == Look::Glance && self.looks_as_left() {
            return Ok(None);
        }
        let (file, found) = run_file::open(&self.path)?;
        self.file = file;
        let own = (self.lines.lines(), self.lines.head());
        self.read(found, |lines| (lines.lines(), lines.head()) == own)
    }

    fn looks_as_left(&self) -> bool {
        let Some((left, now)) = self.left.zip(Stat::at(&self.path)) else { return false };
        now == left || (now.is_as_long_as(&left) && Instant::now() < self.rests_until)
    }

    /// Reads the file; `is_own` says of its lines whether they are the runner's.
    fn read(
        &mut self,
        found: Found,
        is_own: impl Fn(&Chain) -> bool,
    ) -> io::Result<Option<LoopEvent>> {
        let began = Instant::now();
        // Before it is read: what happens meanwhile is seen the next time.
        let metadata = self.file.metadata()?;
        let known = self.left.map(|left| left.length.saturating_add(run_logs::LONGEST_LINE));
        if metadata.len() > known.unwrap_or(run_logs::LONGEST_LOG) {
            return self.start_anew().map(Some);
        }
        let (lines, whole) = self.chain(metadata.len())?;
        let is_torn = whole < metadata.len();
        // Half a line is what a runner leaves that was killed or found the disk full.
        let is_own = is_own(&lines) && (!is_torn || self.left.is_none());
        self.rests_until = Instant::now() + began.elapsed().saturating_mul(REST);
        if is_own && !is_torn {
            (self.lines, self.left) = (lines, Some(Stat::of(&metadata)));
            return Ok(None);
        }
        let altered = if is_own {
            self.file.set_len(whole)?;
            None
        } else if run_file::has_other_names(&metadata) {
            return self.start_anew().map(Some);
        } else {
            run_file::end_line(&mut self.file)?;
            Some(self.alteration(&lines, &found))
        };
        let metadata = self.file.metadata()?;
        self.lines = self.chain(metadata.len())?.0;
        self.left = Some(Stat::of(&metadata));
        Ok(altered)
    }

    /// What lies there is nothing to write to.
    fn start_anew(&mut self) -> io::Result<LoopEvent> {
        let (file, found) = run_file::start_anew(&self.path)?;
        let altered = self.alteration(&Chain::default(), &found);
        self.left = Some(Stat::of(&file.metadata()?));
        (self.file, self.lines) = (file, Chain::default());
        Ok(altered)
    }

    /// The lines in the first `length` bytes, and the length of the whole ones.
    fn chain(&mut self, length: u64) -> io::Result<(Chain, u64)> {
        self.file.rewind()?;
        run_logs::chain(BufReader::new((&self.file).take(length)), self.head)
    }

    /// What is wrong with these lines, which are not the runner's.
    fn alteration(&self, lines: &Chain, found: &Found) -> LoopEvent {
        let altered = |how: String| format!("the event log was altered: {how}");
        let check = lines.check();
        let (line, text) = match (found, check.line) {
            (Found::Nothing, _) => (1, altered("it was removed".to_owned())),
            (Found::MovedAside(name), _) => {
                (1, altered(format!("something else lay in its place, which is {name} now")))
            }
            (Found::TheFile, _) if self.head.is_some_and(|head| head.breaks > 0) => {
                (lines.lines() + 1, altered("once more".to_owned()))
            }
            (Found::TheFile, Some(line)) => (line, check.text),
            (Found::TheFile, None) => {
                let last = self.lines.lines();
                (last + 1, altered(format!("something was added after line {last}")))
            }
        };
        LoopEvent::LogAltered { line, text }
    }

    /// The line as it was written, with its end.
    pub(crate) fn append(&mut self, stamped: &Stamped) -> (String, io::Result<()>) {
        let link = Link::after(self.head);
        let mut line = stamped.to_linked_line(link);
        line.push('\n');
        let written = self.write(&line, link);
        (line, written)
    }

    fn write(&mut self, line: &str, link: Link) -> io::Result<()> {
        self.left = None;
        // One write a line, so that a reader rarely sees half of one.
        self.file.write_all(line.as_bytes())?;
        self.lines.push(line.trim_end_matches('\n').as_bytes(), Some(link));
        self.head = self.lines.head();
        self.left = Some(Stat::of(&self.file.metadata()?));
        Ok(())
    }

    /// The last line that the runner wrote.
    pub(crate) fn head(&self) -> Option<LogHead> {
        self.head
    }

    pub(crate) fn check(&self) -> LogCheck {
        self.lines.check()
    }
}

#[cfg(test)]
mod tests;
