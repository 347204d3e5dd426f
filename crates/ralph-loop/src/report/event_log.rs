//! `events.jsonl`: every event of a run, each line with its number and the digest of the line before.
//!
//! The only writer of that chain. It remembers the last line that it wrote, so changes by other programs
//! break the chain: the next line continues the runner's own last line.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use events::{Chain, ChainLink, LogCheck, LogHead, LoopEvent, Stamped, run_logs};

use super::run_file::{self, Found, Stat};

/// A log that was only touched is not read again for this multiple of the reading time. Otherwise an
/// agent that keeps touching it could slow the runner down.
const SKIP_FACTOR: u32 = 10;

#[derive(Debug)]
pub(crate) struct EventLog {
    path: PathBuf,
    file: File,
    /// The last line that the runner wrote.
    pub(crate) head: Option<LogHead>,
    /// All lines of the file.
    lines: Chain,
    /// The file after the last write; `None` if that failed.
    last_stat: Option<Stat>,
    skips_until: Instant,
}

impl EventLog {
    /// Continues the log at `path`, or starts it. Returns an event if the line of `saved` is missing or the
    /// chain is broken.
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
            last_stat: None,
            skips_until: Instant::now(),
        };
        let altered = log.read(found, |lines| {
            saved.is_none_or(|saved| !lines.misses_saved() && lines.breaks() <= saved.breaks)
        })?;
        if altered.is_none() {
            log.head = log.lines.head();
        }
        Ok((log, altered))
    }

    /// Returns an event if another program wrote to the log. Reads it only if its metadata changed, but always before
    /// the last event.
    pub(crate) fn inspect(&mut self, is_last: bool) -> io::Result<Option<LoopEvent>> {
        if !is_last && self.is_unchanged() {
            return Ok(None);
        }
        let (file, found) = run_file::open(&self.path)?;
        self.file = file;
        let own = (self.lines.lines(), self.lines.head());
        self.read(found, |lines| (lines.lines(), lines.head()) == own)
    }

    fn is_unchanged(&self) -> bool {
        let Some((last, now)) = self.last_stat.zip(Stat::at(&self.path)) else { return false };
        let is_as_long = (now.identity, now.length) == (last.identity, last.length);
        now == last || (is_as_long && Instant::now() < self.skips_until)
    }

    /// Reads the file; `is_own` decides whether its lines are the runner's.
    fn read(
        &mut self,
        found: Found,
        is_own: impl Fn(&Chain) -> bool,
    ) -> io::Result<Option<LoopEvent>> {
        let began = Instant::now();
        // Taken before reading, so that the next inspection sees changes made meanwhile.
        let metadata = self.file.metadata()?;
        let known = self.last_stat.map(|last| last.length.saturating_add(run_logs::LONGEST_LINE));
        if metadata.len() > known.unwrap_or(run_logs::LONGEST_LOG) {
            return self.start_anew().map(Some);
        }
        let (lines, whole) = self.chain(metadata.len())?;
        let is_torn = whole < metadata.len();
        // A runner that was killed or had a full disk leaves a partial line.
        let is_own = is_own(&lines) && (!is_torn || self.last_stat.is_none());
        self.skips_until = Instant::now() + began.elapsed().saturating_mul(SKIP_FACTOR);
        if is_own && !is_torn {
            (self.lines, self.last_stat) = (lines, Some(Stat::of(&metadata)));
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
        self.last_stat = Some(Stat::of(&metadata));
        Ok(altered)
    }

    /// Replaces a file that must not be written to.
    fn start_anew(&mut self) -> io::Result<LoopEvent> {
        let (file, found) = run_file::start_anew(&self.path)?;
        let altered = self.alteration(&Chain::default(), &found);
        self.last_stat = Some(Stat::of(&file.metadata()?));
        (self.file, self.lines) = (file, Chain::default());
        Ok(altered)
    }

    /// The lines in the first `length` bytes, and the length of the complete ones.
    fn chain(&mut self, length: u64) -> io::Result<(Chain, u64)> {
        self.file.rewind()?;
        run_logs::chain(BufReader::new((&self.file).take(length)), self.head)
    }

    /// Describes how lines that are not the runner's differ.
    fn alteration(&self, lines: &Chain, found: &Found) -> LoopEvent {
        let altered = |how: String| format!("the event log was altered: {how}");
        let check = lines.check();
        let (line, text) = match (found, check.line) {
            (Found::Nothing, _) => (1, altered("it was removed".to_owned())),
            (Found::Renamed(name), _) => {
                (1, altered(format!("another file was in its place and is now {name}")))
            }
            (Found::TheFile, _) if self.head.is_some_and(|head| head.breaks > 0) => {
                (lines.lines() + 1, altered("again".to_owned()))
            }
            (Found::TheFile, Some(line)) => (line, check.text),
            (Found::TheFile, None) => {
                let last = self.lines.lines();
                (last + 1, altered(format!("data was added after line {last}")))
            }
        };
        LoopEvent::LogAltered { line, text }
    }

    /// Returns the line as written, with its newline.
    pub(crate) fn append(&mut self, stamped: &Stamped) -> (String, io::Result<()>) {
        let link = ChainLink::after(self.head);
        let mut line = stamped.to_linked_line(link);
        line.push('\n');
        let written = self.write(&line, link);
        (line, written)
    }

    fn write(&mut self, line: &str, link: ChainLink) -> io::Result<()> {
        self.last_stat = None;
        // One write per line, so that a reader rarely sees a partial line.
        self.file.write_all(line.as_bytes())?;
        self.lines.push(line.trim_end_matches('\n').as_bytes(), Some(link));
        self.head = self.lines.head();
        self.last_stat = Some(Stat::of(&self.file.metadata()?));
        Ok(())
    }

    pub(crate) fn check(&self) -> LogCheck {
        self.lines.check()
    }
}

#[cfg(test)]
mod tests;
