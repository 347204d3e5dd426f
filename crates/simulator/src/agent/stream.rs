//! The output stream of the session and its tally. A `Dialect` formats the lines.

use std::io::{self, Stdout, Write};

use serde_json::Value;

use super::ending::Ending;
use super::message::Message;
use super::tally::Tally;

#[derive(Debug)]
pub(super) struct Stream {
    out: Stdout,
    pub(super) dialect: Box<dyn Dialect>,
    pub(super) tally: Tally,
    pub(super) result_printed: bool,
}

/// The output format of one agent.
pub(super) trait Dialect: std::fmt::Debug + Send {
    /// The lines of a message, each with its line end; none if this agent does not print it.
    fn lines(&mut self, message: &Message<'_>, tally: &mut Tally) -> io::Result<String>;

    /// The line of a text, for acts that print very many.
    fn line_of_text(&self, text: &str, tally: &Tally) -> String;

    fn exit_code(&self, ending: &Ending) -> u8 {
        ending.exit_code()
    }
}

impl Stream {
    pub(super) fn new(dialect: Box<dyn Dialect>) -> Self {
        Self { out: io::stdout(), dialect, tally: Tally::default(), result_printed: false }
    }

    pub(super) fn print(&mut self, message: &Message<'_>) -> io::Result<()> {
        let lines = self.dialect.lines(message, &mut self.tally)?;
        if matches!(message, Message::Ended(ending) if ending.result_fields().is_some()) {
            self.result_printed = true;
        }
        if lines.is_empty() { Ok(()) } else { self.raw(lines.as_bytes()) }
    }

    /// Raw bytes.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.out.flush()
    }

    pub(super) fn line_of_text(&self, text: &str) -> String {
        self.dialect.line_of_text(text, &self.tally)
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
