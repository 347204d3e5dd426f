//! What is left of a run: the exit code and what was printed, made easy to ask about.
//!
//! Events stay JSON: this crate has no opinion on what they mean.

use serde::Deserialize;
use serde_json::Value;

use crate::process::{Output, text};

/// How a session ended and what it streamed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// `None` if a signal ended it.
    pub exit_code: Option<i32>,
    /// The lines of the stream.
    pub events: Vec<Value>,
    /// Lines of the standard output that are no JSON: an early failure, or a line cut off.
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
    /// The event with what matched, e.g. `PostToolUse:Bash`.
    pub hook_name: String,
    /// Absent if the hook never ran.
    #[serde(default)]
    pub exit_code: Option<i32>,
    /// In the words of Claude Code, e.g. `success` or `error`.
    #[serde(default)]
    pub outcome: String,
    /// What the hook printed.
    #[serde(default)]
    pub stdout: String,
    /// What the hook complained of.
    #[serde(default)]
    pub stderr: String,
}

impl Outcome {
    /// The last `result` event; absent if the session was killed or never began. There are several
    /// if the end of a background command woke the agent up again.
    pub fn result(&self) -> Option<&Value> {
        let mut events = self.events.iter();
        events.rfind(|event| event["type"] == "result")
    }

    /// The answer that the session ended with.
    pub fn result_text(&self) -> Option<&str> {
        self.result()?["result"].as_str()
    }

    /// How the hooks of this event answered, in order.
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
    fn a_line_cut_off_is_kept_but_is_no_event() {
        let outcome = outcome("{\"type\":\"system\"}\n{\"type\":\"resu");
        assert_eq!(outcome.events.len(), 1);
        assert_eq!(outcome.other_lines, ["{\"type\":\"resu"]);
        assert_eq!(outcome.result(), None);
    }
}
