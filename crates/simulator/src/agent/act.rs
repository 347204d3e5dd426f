//! The acts of a scenario. The list is closed, so a misspelt act is an error.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::verdict::ScenarioVerdict;

/// One step of a session. In JSON `{"say":{"text":"…"}}`, or `"abort"` for an act without fields.
/// The default story is the assigned one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Act {
    Say {
        text: String,
    },
    Read {
        path: String,
    },
    /// Runs in a session of its own, as Claude's Bash tool does.
    Bash {
        command: String,
    },
    Write {
        path: String,
        contents: String,
    },
    Append {
        path: String,
        contents: String,
    },
    /// Sets any fields of a story, allowed or not.
    SetStory {
        story: Option<String>,
        fields: Map<String, Value>,
    },
    RemoveStory {
        story: Option<String>,
    },
    AddStory {
        story: Map<String, Value>,
    },
    /// Sets a field of the list itself.
    SetTop {
        field: String,
        value: Value,
    },
    Submit {
        notes: String,
    },
    Approve {
        notes: String,
    },
    RequestChanges {
        feedback: String,
    },
    Resubmit,
    Commit {
        message: String,
    },
    /// Writes test files and the proof file of the assigned story, and commits them.
    Specify {
        /// Contents by path.
        #[serde(default)]
        files: BTreeMap<String, String>,
        /// Framework, file and name of each test, for each criterion in order. One without tests is mapped to
        /// `manual`.
        #[serde(default)]
        tests: Vec<Vec<[String; 3]>>,
    },
    Todo {
        items: Vec<String>,
    },
    Pause {
        ms: u64,
    },
    /// The final answer. Acts after it are not performed.
    Finish {
        text: Option<String>,
        #[serde(default)]
        promise: bool,
    },
    /// The final answer as input of the tool `StructuredOutput`; text if the session has no
    /// `--json-schema`.
    Structured(Value),
    /// The same: the handoff of the assigned story, with these fields replaced.
    Handoff(Map<String, Value>),
    /// The verdict of the final answer of a review, independent of the task list.
    Verdict(ScenarioVerdict),
    /// Stops with an empty answer.
    Empty,
    /// Exits without a result line.
    Crash {
        exit_code: u8,
    },
    /// Kills itself.
    Abort,
    /// Never ends.
    Hang {
        /// SIGINT and SIGTERM, from the first act on, so that a test can signal at any time.
        #[serde(default, rename = "deaf")]
        ignores_signals: bool,
    },
    /// Stays after the result line.
    Linger(Lingering),
    /// Prints at least this many bytes, fast, in lines of this length.
    Flood {
        bytes: u64,
        line_bytes: usize,
    },
    /// Starts a process that outlives the agent and has no parent in its tree.
    Daemon {
        command: String,
        pid_file: String,
    },
    /// Does not read standard input; the position in the list does not matter.
    NotReading,
    /// Prints lines that are not messages: text, truncated JSON, bytes that are not UTF-8.
    Garbage {
        lines: usize,
    },
    /// Reports a subscription limit; `rejected` ends the session.
    Limit {
        status: LimitStatus,
        resets_in_s: Option<u64>,
        /// Unix seconds; overrides `resets_in_s`.
        resets_at: Option<u64>,
        utilization: Option<f64>,
    },
    ApiError {
        status: u16,
        message: String,
    },
    TurnLimit,
    BudgetExhausted,
    PromptTooLong,
    /// The reported cost of the session.
    Cost {
        usd: f64,
    },
    /// The reported context use and window.
    Context {
        tokens: u64,
        window: Option<u64>,
    },
    /// A tool output with the completion tag, which the agent itself does not say.
    EchoPromise,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lingering {
    Ms(u64),
    Forever,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitStatus {
    Allowed,
    AllowedWarning,
    Rejected,
}

impl Act {
    pub fn say(text: impl Into<String>) -> Self {
        Self::Say { text: text.into() }
    }

    pub fn read(path: impl Into<String>) -> Self {
        Self::Read { path: path.into() }
    }

    pub fn bash(command: impl Into<String>) -> Self {
        Self::Bash { command: command.into() }
    }

    pub fn write(path: impl Into<String>, contents: impl Into<String>) -> Self {
        Self::Write { path: path.into(), contents: contents.into() }
    }

    pub fn append(path: impl Into<String>, contents: impl Into<String>) -> Self {
        Self::Append { path: path.into(), contents: contents.into() }
    }

    /// Sets these fields of the assigned story.
    pub fn set_story<const N: usize>(fields: [(&str, Value); N]) -> Self {
        let fields = fields.map(|(name, value)| (name.to_owned(), value));
        Self::SetStory { story: None, fields: fields.into_iter().collect() }
    }

    pub fn submit(notes: impl Into<String>) -> Self {
        Self::Submit { notes: notes.into() }
    }

    pub fn approve(notes: impl Into<String>) -> Self {
        Self::Approve { notes: notes.into() }
    }

    pub fn request_changes(feedback: impl Into<String>) -> Self {
        Self::RequestChanges { feedback: feedback.into() }
    }

    pub fn commit(message: impl Into<String>) -> Self {
        Self::Commit { message: message.into() }
    }

    /// Writes these files and maps the criteria of the assigned story, in order, to tests: `[framework, file, name]`.
    pub fn specify<'s>(
        files: impl IntoIterator<Item = (&'s str, &'s str)>,
        tests: impl IntoIterator<Item = Vec<[&'s str; 3]>>,
    ) -> Self {
        let files = files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned()));
        let owned =
            |tests: Vec<[&str; 3]>| tests.into_iter().map(|test| test.map(str::to_owned)).collect();
        Self::Specify { files: files.collect(), tests: tests.into_iter().map(owned).collect() }
    }

    pub fn finish(text: impl Into<String>) -> Self {
        Self::Finish { text: Some(text.into()), promise: false }
    }

    /// The handoff of the assigned story, with these fields instead of its own.
    pub fn handoff<const N: usize>(fields: [(&str, Value); N]) -> Self {
        let fields = fields.map(|(name, value)| (name.to_owned(), value));
        Self::Handoff(fields.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<Act, serde_json::Error> {
        serde_json::from_str(json)
    }

    #[test]
    fn acts_are_read_from_json() {
        assert_eq!(parse(r#"{"say":{"text":"hi"}}"#).unwrap(), Act::say("hi"));
        assert_eq!(parse(r#""abort""#).unwrap(), Act::Abort);
        assert_eq!(parse(r#"{"linger":"forever"}"#).unwrap(), Act::Linger(Lingering::Forever));
        assert_eq!(parse(r#"{"linger":{"ms":5}}"#).unwrap(), Act::Linger(Lingering::Ms(5)));
        let structured = Act::Structured(serde_json::json!({"a": [1]}));
        assert_eq!(parse(r#"{"structured":{"a":[1]}}"#).unwrap(), structured);
        assert_eq!(parse(r#"{"handoff":{}}"#).unwrap(), Act::handoff([]));
        assert_eq!(parse(r#"{"verdict":"none"}"#).unwrap(), Act::Verdict(ScenarioVerdict::None));
        let specify = Act::specify([("t.sh", "x")], [vec![["custom", "t.sh", "a"]]]);
        let text = r#"{"specify":{"files":{"t.sh":"x"},"tests":[[["custom","t.sh","a"]]]}}"#;
        assert_eq!(parse(text).unwrap(), specify);
        let finish = Act::Finish { text: None, promise: true };
        assert_eq!(parse(r#"{"finish":{"promise":true}}"#).unwrap(), finish);
    }

    #[test]
    fn a_misspelt_act_is_an_error() {
        for json in [r#""abbort""#, r#"{"say":{"txt":"hi"}}"#, r#"{"hang":{"death":true}}"#] {
            assert!(parse(json).is_err(), "{json}");
        }
    }
}
