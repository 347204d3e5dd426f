//! The output of a run: its exit code, its events, and its text.

use std::fmt;

use serde_json::Value;

#[derive(Debug, Default)]
pub(crate) struct RunOutput {
    /// `None` if a signal ended it.
    pub(crate) exit_code: Option<i32>,
    pub(crate) events: Vec<Value>,
    /// Lines of standard output that are not events.
    pub(crate) other_lines: Vec<String>,
    pub(crate) stderr: String,
}

impl RunOutput {
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

    /// The answers of the hooks of the loop, if not silent.
    pub(crate) fn hook_answers(&self) -> Vec<&str> {
        self.each("hook-answered", "answer")
    }
}

impl fmt::Display for RunOutput {
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
