//! What the session prints, and what it has used so far. How a thing is said is the dialect's.

use std::io::{self, Stdout, Write};

use serde_json::Value;

use super::ending::Ending;
use super::said::Said;
use super::tally::Tally;

#[derive(Debug)]
pub(super) struct Stream {
    out: Stdout,
    dialect: Box<dyn Dialect>,
    pub(super) tally: Tally,
    pub(super) state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Open,
    /// The result line is out.
    Closed,
}

/// The words of one agent.
pub(super) trait Dialect: std::fmt::Debug + Send {
    /// The lines for it, each with its end; none where this agent has no words for it.
    fn lines(&mut self, said: &Said<'_>, tally: &mut Tally) -> io::Result<String>;

    /// The line of a text as it would be printed, for those who print very many.
    fn line_of_text(&self, text: &str, tally: &Tally) -> String;

    fn exit_code(&self, ending: &Ending) -> u8 {
        ending.exit_code()
    }
}

impl Stream {
    pub(super) fn new(dialect: Box<dyn Dialect>) -> Self {
        Self { out: io::stdout(), dialect, tally: Tally::default(), state: State::Open }
    }

    pub(super) fn say(&mut self, said: &Said<'_>) -> io::Result<()> {
        let lines = self.dialect.lines(said, &mut self.tally)?;
        if matches!(said, Said::Ended(ending) if ending.verdict().is_some()) {
            self.state = State::Closed;
        }
        if lines.is_empty() { Ok(()) } else { self.raw(lines.as_bytes()) }
    }

    /// Bytes as they are.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.out.flush()
    }

    pub(super) fn line_of_text(&self, text: &str) -> String {
        self.dialect.line_of_text(text, &self.tally)
    }

    pub(super) fn exit_code(&self, ending: &Ending) -> u8 {
        self.dialect.exit_code(ending)
    }
}

/// `base` with the fields of `more`.
pub(super) fn with(mut base: Value, more: Value) -> Value {
    if let (Value::Object(fields), Value::Object(more)) = (&mut base, more) {
        fields.extend(more);
    }
    base
}

pub(super) fn uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}
