//! Decodes plain text lines to events. The exit code decides the result.

use super::echo::Echo;
use super::output_tail::OutputTail;
use crate::decode::Emit;
use crate::raw::lossy;
use crate::{AgentEvent, AgentResult, Decode, Ending, LineKind, ProcessExit};

/// The displayed length of a line.
const LONGEST_TEXT: usize = 16 << 10;

/// The lines of output that are reported for a failed program.
const LAST_LINES: usize = 10;
const LAST_CHARS: usize = 2000;

#[derive(Debug)]
pub(crate) struct Decoder {
    echo: Echo,
    tail: OutputTail,
}

impl Decoder {
    pub(crate) fn new(prompt: &str) -> Self {
        Self { echo: Echo::of(&without_escapes(prompt)), tail: OutputTail::default() }
    }

    fn emit_lines(&mut self, lines: Vec<String>, emit: Emit<'_>) {
        for line in lines {
            let line = shown(&line);
            self.tail.push(line);
            if !line.trim().is_empty() {
                emit(AgentEvent::Text { text: beginning(line.to_owned()) });
            }
        }
    }
}

impl Decode for Decoder {
    fn line(&mut self, bytes: &[u8], emit: Emit<'_>) -> LineKind {
        let line = without_escapes(&lossy(bytes));
        let own = self.echo.line(line.trim_end());
        self.emit_lines(own, emit);
        LineKind::Stream
    }

    fn ended(&mut self, exit: ProcessExit, emit: Emit<'_>) {
        let undecided = self.echo.finish();
        self.emit_lines(undecided, emit);
        let ProcessExit::Code(code) = exit else { return };
        let text = self.tail.text();
        emit(AgentEvent::Result(match code {
            0 => AgentResult::of(Ending::Completed, text),
            code => {
                let reason = format!("exit code {code}");
                AgentResult::of(Ending::Other { reason, message: last_lines(&text) }, String::new())
            }
        }));
    }
}

/// Removes terminal sequences, which could split or hide a tag.
fn without_escapes(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// The last version of a line that was overwritten with carriage returns, as progress is shown.
fn shown(line: &str) -> &str {
    let line = line.trim_end();
    line.rsplit('\r').next().unwrap_or(line)
}

fn beginning(mut line: String) -> String {
    if let Some(end) = (LONGEST_TEXT..line.len()).find(|at| line.is_char_boundary(*at)) {
        line.truncate(end);
    }
    line
}

fn last_lines(text: &str) -> String {
    let skipped = text.lines().count().saturating_sub(LAST_LINES);
    let lines = text.lines().skip(skipped).collect::<Vec<_>>().join("\n");
    let skipped = lines.chars().count().saturating_sub(LAST_CHARS);
    lines.chars().skip(skipped).collect()
}
