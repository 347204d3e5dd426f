//! The lines that a worker prints: `o` and `e` for those of the agent, `r` for its own, which are JSON. The number
//! after the letter says which start of the job printed the line: a node that was lost may go on printing.

use serde::{Deserialize, Serialize};
use supervise::{OutputLine, Source};

use crate::control::session_jobs::{WorkerResult, WorkerStart};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WorkerMessage {
    Started(WorkerStart),
    Warning(String),
    Ended(WorkerResult),
}

#[derive(Debug, PartialEq)]
pub(crate) enum WorkerLine<'l> {
    Agent(OutputLine<'l>),
    Worker(WorkerMessage),
}

impl WorkerMessage {
    pub(crate) fn line(&self, restart: u64) -> Vec<u8> {
        written('r', restart, &serde_json::to_vec(self).unwrap_or_default())
    }
}

pub(crate) fn of_agent(line: OutputLine<'_>, restart: u64) -> Vec<u8> {
    let letter = match line.source {
        Source::Stdout => 'o',
        Source::Stderr => 'e',
    };
    written(letter, restart, line.bytes)
}

fn written(letter: char, restart: u64, bytes: &[u8]) -> Vec<u8> {
    [format!("{letter}{restart} ").as_bytes(), bytes, b"\n"].concat()
}

/// With the number of its start. `None` for a line that no worker prints, such as one of the engine itself.
pub(crate) fn parse(line: &[u8]) -> Option<(u64, WorkerLine<'_>)> {
    let end = line.iter().position(|byte| *byte == b' ')?;
    let (start, bytes) = (line.get(..end)?, line.get(end + 1..)?);
    let (letter, number) = start.split_first()?;
    let restart = str::from_utf8(number).ok()?.parse().ok()?;
    let agent = |source| WorkerLine::Agent(OutputLine { source, bytes, cut: 0 });
    let line = match letter {
        b'o' => agent(Source::Stdout),
        b'e' => agent(Source::Stderr),
        b'r' => WorkerLine::Worker(serde_json::from_slice(bytes).ok()?),
        _ => return None,
    };
    Some((restart, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written() {
        for (source, bytes) in [(Source::Stdout, &b"{\"a\":1}"[..]), (Source::Stderr, b"\xff r0 ")]
        {
            let line = OutputLine { source, bytes, cut: 0 };
            let written = of_agent(line, 12);
            let text = written.strip_suffix(b"\n").unwrap();
            assert_eq!(parse(text), Some((12, WorkerLine::Agent(line))));
        }
        let message = WorkerMessage::Warning("two\nlines".into()).line(0);
        assert_eq!(message.iter().filter(|byte| **byte == b'\n').count(), 1);
        let read = parse(message.strip_suffix(b"\n").unwrap());
        let message = WorkerMessage::Warning("two\nlines".into());
        assert_eq!(read, Some((0, WorkerLine::Worker(message))));
    }

    #[test]
    fn other_lines_are_nothing() {
        let lines =
            ["", "o", "o1", "o x", "slurmstepd: error: x", "r0 {", "r0 {\"ended\":1}", "x0 y"];
        for line in lines {
            assert_eq!(parse(line.as_bytes()), None, "{line}");
        }
    }
}
