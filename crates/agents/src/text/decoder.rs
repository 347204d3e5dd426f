//! Lines of plain text in, events out; how it ended is known once the process is gone.

use super::echo::Echo;
use super::kept::Kept;
use crate::raw::lossy;
use crate::{AgentEvent, AgentResult, Decode, Ending, Heard, ProcessExit};

/// As much of one line as any display shows.
const LONGEST_TEXT: usize = 16 << 10;

/// What is told of the output of a program that failed.
const LAST_LINES: usize = 10;
const LAST_CHARS: usize = 2000;

#[derive(Debug)]
pub(crate) struct Decoder {
    echo: Echo,
    kept: Kept,
}

impl Decoder {
    pub(crate) fn new(prompt: &str) -> Self {
        Self { echo: Echo::of(&seen(prompt)), kept: Kept::default() }
    }

    fn tell(&mut self, lines: Vec<String>, emit: &mut dyn FnMut(AgentEvent)) {
        for line in lines {
            let line = shown(&line);
            self.kept.push(line);
            if !line.trim().is_empty() {
                emit(AgentEvent::Text { text: beginning(line.to_owned()) });
            }
        }
    }
}

impl Decode for Decoder {
    fn line(&mut self, bytes: &[u8], emit: &mut dyn FnMut(AgentEvent)) -> Heard {
        let line = seen(&lossy(bytes));
        let own = self.echo.line(line.trim_end());
        self.tell(own, emit);
        Heard::Stream
    }

    fn ended(&mut self, exit: ProcessExit, emit: &mut dyn FnMut(AgentEvent)) {
        let held = self.echo.give_up();
        self.tell(held, emit);
        let ProcessExit::Code(code) = exit else { return };
        let text = self.kept.text();
        emit(AgentEvent::Result(match code {
            0 => AgentResult::of(Ending::Completed, text),
            code => {
                let reason = format!("exit code {code}");
                AgentResult::of(Ending::Other { reason, message: end(&text) }, String::new())
            }
        }));
    }
}

/// Without what only steers a terminal: it could stand within a tag, or hold one nobody sees.
fn seen(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// Of a line that was written several times over, as progress is told, what it was at last.
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

fn end(text: &str) -> String {
    let skipped = text.lines().count().saturating_sub(LAST_LINES);
    let lines = text.lines().skip(skipped).collect::<Vec<_>>().join("\n");
    let skipped = lines.chars().count().saturating_sub(LAST_CHARS);
    lines.chars().skip(skipped).collect()
}
