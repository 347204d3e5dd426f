//! What a run said: its exit code, its events, and what people read.

use std::fmt;

use serde_json::Value;

#[derive(Debug, Default)]
pub(crate) struct Told {
    /// `None` if a signal ended it.
    pub(crate) exit_code: Option<i32>,
    pub(crate) events: Vec<Value>,
    /// Standard output that is no event.
    pub(crate) other_lines: Vec<String>,
    pub(crate) stderr: String,
}

impl Told {
    pub(crate) fn line(&mut self, line: &str) {
        match serde_json::from_str(line) {
            Ok(event) => self.events.push(event),
            Err(_) => self.other_lines.push(line.to_owned()),
        }
    }

    pub(crate) fn all(&self, kind: &str) -> Vec<&Value> {
        self.events.iter().filter(|event| event["type"] == kind).collect()
    }

    /// This field of all events of this kind, as text.
    pub(crate) fn each(&self, kind: &str, field: &str) -> Vec<&str> {
        self.all(kind).iter().map(|event| event[field].as_str().unwrap_or_default()).collect()
    }

    /// How the hooks of the loop answered where they were not silent.
    pub(crate) fn hook_answers(&self) -> Vec<&str> {
        self.each("hook-answered", "answer")
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "exit code {:?}", self.exit_code)?;
        for event in &self.events {
            writeln!(f, "{event}")?;
        }
        for line in &self.other_lines {
            writeln!(f, "stdout: {line}")?;
        }
        write!(f, "{}", self.stderr)
    }
}
