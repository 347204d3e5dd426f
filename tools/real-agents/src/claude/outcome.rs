//! Exit code and output of a run, with queries for tests.
//!
//! Events stay JSON; this crate does not interpret them.

use serde::Deserialize;
use serde_json::Value;

use crate::process::{Output, text};

/// Exit code and stream of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// `None` if a signal ended it.
    pub exit_code: Option<i32>,
    /// The lines of the stream.
    pub events: Vec<Value>,
    /// Lines of standard output that are not JSON: an early failure, or a truncated line.
    pub other_lines: Vec<String>,
    /// The standard error output.
    pub stderr: String,
    /// The session that the stream names.
    pub session_id: Option<String>,
}

/// The answer of one hook, as the stream reports it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct HookResponse {
    /// The event, e.g. `PostToolUse`.
    pub hook_event: String,
    /// The event with its matcher, such as `PostToolUse:Bash`.
    pub hook_name: String,
    /// Absent if the hook never ran.
    #[serde(default)]
    pub exit_code: Option<i32>,
    /// The value of Claude Code, such as `success` or `error`.
    #[serde(default)]
    pub outcome: String,
    /// Standard output of the hook.
    #[serde(default)]
    pub stdout: String,
    /// Standard error of the hook.
    #[serde(default)]
    pub stderr: String,
}

impl Outcome {
    /// The last `result` event; `None` if the session was killed or never started. There are
    /// several if the end of a background command woke the agent.
    pub fn result(&self) -> Option<&Value> {
        let mut events = self.events.iter();
        events.rfind(|event| event["type"] == "result")
    }

    /// The answer that the session ended with.
    pub fn result_text(&self) -> Option<&str> {
        self.result()?["result"].as_str()
    }

    /// The answers of the hooks of this event, in order.
    pub fn hook_responses(&self, event: &str) -> Vec<HookResponse> {
        let responses = self.events.iter().filter(|line| {
            line["type"] == "system"
                && line["subtype"] == "hook_response"
                && line["hook_event"] == event
        });
        responses.filter_map(|line| HookResponse::deserialize(line).ok()).collect()
    }
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        let mut outcome =
            Self { exit_code: output.exit_code, stderr: text(&output.stderr), ..Self::default() };
        for line in text(&output.stdout).lines() {
            match serde_json::from_str(line) {
                Ok(event) => outcome.events.push(event),
                Err(_) => outcome.other_lines.push(line.to_owned()),
            }
        }
        let mut ids = outcome.events.iter().map(|event| &event["session_id"]);
        outcome.session_id = ids.find_map(|id| id.as_str().map(str::to_owned));
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(stdout: &str) -> Outcome {
        Outcome::from(Output { exit_code: Some(0), stdout: stdout.into(), stderr: Vec::new() })
    }

    #[test]
    fn a_stream_becomes_events() {
        let outcome = outcome(concat!(
            r#"{"type":"system","subtype":"init","session_id":"s-1"}"#,
            "\n",
            r#"{"type":"system","subtype":"hook_response","hook_event":"Stop","#,
            r#""hook_name":"Stop","exit_code":0,"outcome":"success","stdout":"{}","stderr":""}"#,
            "\n",
            r#"{"type":"system","subtype":"hook_response","hook_event":"PostToolUse","#,
            r#""hook_name":"PostToolUse:Bash"}"#,
            "\n",
            r#"{"type":"result","result":"Finished.","session_id":"s-1"}"#,
            "\n",
        ));
        assert_eq!(outcome.session_id.as_deref(), Some("s-1"));
        assert_eq!(outcome.result_text(), Some("Finished."));
        let stops = outcome.hook_responses("Stop");
        assert_eq!(stops.len(), 1);
        assert_eq!((stops[0].exit_code, &*stops[0].stdout), (Some(0), "{}"));
        assert_eq!(outcome.hook_responses("PostToolUse")[0].exit_code, None);
    }

    #[test]
    fn a_truncated_line_is_kept_and_is_no_event() {
        let outcome = outcome("{\"type\":\"system\"}\n{\"type\":\"resu");
        assert_eq!(outcome.events.len(), 1);
        assert_eq!(outcome.other_lines, ["{\"type\":\"resu"]);
        assert_eq!(outcome.result(), None);
    }
}
