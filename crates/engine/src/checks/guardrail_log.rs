//! The output of a guardrail: all of it in a file, its beginning and end in memory.

use std::collections::{BTreeSet, VecDeque};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use bounded_read::open_regular;
use serde::{Deserialize, Serialize};
use supervise::OutputLine;

use crate::own_file;

const TAIL: usize = 100;
const LONGEST_TAIL_LINE: usize = 2000;

/// A longer log is of no use to a reader.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Bytes of each end of an output that failure signatures are computed from.
const EXAMINED: u64 = 512 * 1024;

/// Characters of the command in the name of its log.
const LONGEST_SLUG: usize = 50;

const TRUNCATED: &str = "... [truncated]";

pub(crate) struct GuardrailLog {
    log: BufWriter<File>,
    written: u64,
    failure: Option<io::Error>,
    tail: VecDeque<String>,
    lines: u64,
    start: OutputStart,
}

/// What is kept of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogExcerpt {
    /// Its first characters, with a mark if there is more.
    pub(crate) start: String,
    pub(crate) extent: OutputExtent,
    /// Its last lines, with a line that says how many are left out before them.
    pub(crate) tail: Vec<String>,
}

/// Whether the kept beginning is the whole output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OutputExtent {
    #[default]
    Whole,
    Cut,
}

impl LogExcerpt {
    pub(crate) fn of(text: &str) -> Self {
        Self { start: text.to_owned(), extent: OutputExtent::Whole, tail: vec![text.to_owned()] }
    }
}

impl GuardrailLog {
    /// `quoted` is the number of characters kept of the beginning.
    pub(crate) fn create(path: &Path, quoted: usize) -> io::Result<Self> {
        let log = BufWriter::new(own_file::create(path)?);
        let start = OutputStart { text: String::new(), left: quoted, extent: OutputExtent::Whole };
        Ok(Self { log, written: 0, failure: None, tail: VecDeque::new(), lines: 0, start })
    }

    pub(crate) fn line(&mut self, line: OutputLine<'_>) {
        if self.written < LARGEST && self.failure.is_none() {
            self.written += line.bytes.len() as u64 + 1;
            self.failure = self.write(line).err();
        }
        self.start.line(line.bytes);
        self.lines += 1;
        if self.tail.len() == TAIL {
            self.tail.pop_front();
        }
        let start = &line.bytes[..line.bytes.len().min(LONGEST_TAIL_LINE)];
        self.tail.push_back(String::from_utf8_lossy(start).into_owned());
    }

    fn write(&mut self, line: OutputLine<'_>) -> io::Result<()> {
        self.log.write_all(line.bytes)?;
        if line.cut > 0 {
            write!(self.log, "... [{} bytes more on this line]", line.cut)?;
        }
        self.log.write_all(b"\n")?;
        if self.written >= LARGEST {
            writeln!(self.log, "... [log truncated: it reached its size limit]")?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<LogExcerpt> {
        if let Some(error) = self.failure {
            return Err(error);
        }
        self.log.flush()?;
        let mut tail: Vec<String> = self.tail.into();
        let left_out = self.lines.saturating_sub(tail.len() as u64);
        if left_out > 0 {
            tail.insert(0, truncated(left_out));
        }
        let extent = self.start.extent;
        Ok(LogExcerpt { start: self.start.finish(), extent, tail })
    }
}

/// The beginning and the end of an output, as far as failure signatures need them.
pub(crate) fn ends_of(log: &Path) -> String {
    let read = || -> io::Result<Vec<u8>> {
        let (mut file, size) = open_regular(log).map_err(io::Error::other)?;
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(EXAMINED).read_to_end(&mut bytes)?;
        if size > EXAMINED {
            file.seek(SeekFrom::Start(size.saturating_sub(EXAMINED).max(EXAMINED)))?;
            bytes.push(b'\n');
            file.take(EXAMINED).read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

/// The line that replaces left-out lines.
pub(crate) fn truncated(count: u64) -> String {
    format!("[... {count} lines truncated ...]")
}

/// The number of lines that such a line replaces.
pub(crate) fn left_out(line: &str) -> Option<u64> {
    line.strip_prefix("[... ")?.strip_suffix(" lines truncated ...]")?.parse().ok()
}

/// The first characters of all lines.
struct OutputStart {
    text: String,
    left: usize,
    extent: OutputExtent,
}

impl OutputStart {
    fn line(&mut self, bytes: &[u8]) {
        if self.extent == OutputExtent::Cut {
            return;
        }
        if !self.text.is_empty() {
            self.push('\n');
        }
        // A character takes at most four bytes; the last one may be incomplete.
        let enough = &bytes[..bytes.len().min(4 * (self.left + 1))];
        for c in String::from_utf8_lossy(enough).chars() {
            self.push(c);
        }
    }

    fn push(&mut self, c: char) {
        if self.left == 0 {
            self.extent = OutputExtent::Cut;
        } else {
            self.left -= 1;
            self.text.push(c);
        }
    }

    fn finish(mut self) -> String {
        if self.extent == OutputExtent::Cut {
            self.text.push_str(TRUNCATED);
        }
        self.text
    }
}

/// A unique log name for each command: `./mvnw clean install -T 2C` →
/// `guardrail_mvnw_clean_install_T_2C.log`.
pub(crate) fn log_names<'c>(commands: impl Iterator<Item = &'c str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let name = |command: &str| {
        let slug = slug(command);
        let numbered = |number: u64| match number {
            1 => format!("guardrail_{slug}.log"),
            _ => format!("guardrail_{slug}_{number}.log"),
        };
        let free = (1..).map(numbered).find(|name| taken.insert(name.clone()));
        free.unwrap_or_default()
    };
    commands.map(name).collect()
}

fn slug(command: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { ' ' };
    let plain: String = command.chars().map(word).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let slug: String = words.join("_").chars().take(LONGEST_SLUG).collect();
    let slug = slug.trim_end_matches('_');
    if slug.is_empty() { "command".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use supervise::Source;

    fn written(lines: impl IntoIterator<Item = String>, quoted: usize) -> (LogExcerpt, String) {
        let dir = assert_fs::TempDir::new().unwrap();
        let path = dir.path().join("log");
        let mut log = GuardrailLog::create(&path, quoted).unwrap();
        for text in lines {
            log.line(OutputLine { source: Source::Stdout, bytes: text.as_bytes(), cut: 0 });
        }
        (log.finish().unwrap(), std::fs::read_to_string(&path).unwrap())
    }

    #[test]
    fn logs_are_named_after_their_commands() {
        let names = log_names(["./mvnw clean install -T 2C", "../../etc; rm -rf /"].into_iter());
        assert_eq!(names, ["guardrail_mvnw_clean_install_T_2C.log", "guardrail_etc_rm_rf.log"]);
        let twins = log_names(["make a", "make-a", "✓", "make a"].into_iter());
        let (first, second) = ("guardrail_make_a.log", "guardrail_make_a_2.log");
        assert_eq!(twins, [first, second, "guardrail_command.log", "guardrail_make_a_3.log"]);
        let long = log_names([&*"x y".repeat(40)].into_iter());
        assert!(long[0].len() <= "guardrail_.log".len() + LONGEST_SLUG, "{}", long[0]);
    }

    #[test]
    fn the_tail_counts_omitted_lines_and_the_log_is_complete() {
        let (output, log) = written((0..150).map(|number| format!("line {number}")), 10);
        assert_eq!(output.tail.len(), 101);
        assert_eq!(output.tail[0], "[... 50 lines truncated ...]");
        assert_eq!((&*output.tail[1], &*output.tail[100]), ("line 50", "line 149"));
        assert_eq!(log.lines().count(), 150);
    }

    #[test]
    fn a_cut_beginning_is_marked() {
        let start = |text: &str, quoted| written(text.lines().map(str::to_owned), quoted).0.start;
        assert_eq!(start("äöü\nxyz", 5), "äöü\nx... [truncated]");
        assert_eq!(start("äöü\nxyz", 7), "äöü\nxyz");
        assert_eq!(start("", 5), "");
        assert_eq!(start("abc", 0), "... [truncated]");
    }
}
