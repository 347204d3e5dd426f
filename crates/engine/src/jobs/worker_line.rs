//! The lines that a worker prints: `o` and `e` for those of the agent, `r` for its own, which are JSON. Two numbers
//! follow the letter: which start of the job printed the line, because a node that was lost may go on printing, and
//! which of its lines it is, because an engine may print lines again or lose some.

use serde::{Deserialize, Serialize};
use supervise::{Ended, OutputLine, Source};

use crate::control::node_jobs::{WorkerResult, WorkerStart};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WorkerMessage {
    Started(WorkerStart),
    Warning(String),
    CheckStarted(u64),
    CheckEnded(Ended),
    Ended(WorkerResult),
}

#[derive(Debug, PartialEq)]
pub(crate) enum WorkerLine<'l> {
    Agent(OutputLine<'l>),
    Worker(WorkerMessage),
}

impl WorkerMessage {
    pub(crate) fn line(&self, number: LineNumber) -> Vec<u8> {
        written('r', number, &serde_json::to_vec(self).unwrap_or_default())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LineNumber {
    /// See [`job_engines::Placement::start`].
    pub(crate) start: u64,
    pub(crate) line: u64,
}

pub(crate) fn of_agent(line: OutputLine<'_>, number: LineNumber) -> Vec<u8> {
    let letter = match line.source {
        Source::Stdout => 'o',
        Source::Stderr => 'e',
    };
    written(letter, number, line.bytes)
}

fn written(letter: char, number: LineNumber, bytes: &[u8]) -> Vec<u8> {
    let LineNumber { start, line } = number;
    [format!("{letter}{start}.{line} ").as_bytes(), bytes, b"\n"].concat()
}

/// `None` for a line that no worker prints, such as one of the engine itself.
pub(crate) fn parse(line: &[u8]) -> Option<(LineNumber, WorkerLine<'_>)> {
    let end = line.iter().position(|byte| *byte == b' ')?;
    let (start, bytes) = (line.get(..end)?, line.get(end + 1..)?);
    let (letter, number) = start.split_first()?;
    let (begun, number) = str::from_utf8(number).ok()?.split_once('.')?;
    let number = LineNumber { start: begun.parse().ok()?, line: number.parse().ok()? };
    let agent = |source| WorkerLine::Agent(OutputLine { source, bytes, cut: 0 });
    let line = match letter {
        b'o' => agent(Source::Stdout),
        b'e' => agent(Source::Stderr),
        b'r' => WorkerLine::Worker(serde_json::from_slice(bytes).ok()?),
        _ => return None,
    };
    Some((number, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: LineNumber = LineNumber { start: 0, line: 1 };

    #[test]
    fn lines_are_read_as_they_were_written() {
        for (source, bytes) in
            [(Source::Stdout, &b"{\"a\":1}"[..]), (Source::Stderr, b"\xff r0.1 ")]
        {
            let line = OutputLine { source, bytes, cut: 0 };
            let number = LineNumber { start: 12, line: 7 };
            let written = of_agent(line, number);
            let text = written.strip_suffix(b"\n").unwrap();
            assert_eq!(parse(text), Some((number, WorkerLine::Agent(line))));
        }
        let message = WorkerMessage::Warning("two\nlines".into()).line(FIRST);
        assert_eq!(message.iter().filter(|byte| **byte == b'\n').count(), 1);
        let read = parse(message.strip_suffix(b"\n").unwrap());
        let message = WorkerMessage::Warning("two\nlines".into());
        assert_eq!(read, Some((FIRST, WorkerLine::Worker(message))));
    }

    #[test]
    fn other_lines_are_nothing() {
        let lines = [
            "",
            "o",
            "o1.1",
            "o1 x",
            "slurmstepd: error: x",
            "r0.1 {",
            "r0.1 {\"ended\":1}",
            "x0.1 y",
        ];
        for line in lines {
            assert_eq!(parse(line.as_bytes()), None, "{line}");
        }
    }
}
