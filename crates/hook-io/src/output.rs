//! The hook's answer: one JSON object on standard output, or nothing.

use std::io::{self, Write};

use serde_json::json;

use crate::{HookEvent, plain};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookOutput {
    /// Prints nothing.
    Silent,
    /// Blocks the end of the session; the model gets the reason.
    Block { reason: String },
    /// Denies the tool call; the model gets the reason.
    Deny { reason: String },
    /// Shows a message to the user.
    Warn { message: String },
    /// Adds a text to the model's context.
    AddContext { event: HookEvent, text: String },
}

impl HookOutput {
    pub fn to_json(&self) -> Option<String> {
        let value = match self {
            Self::Silent => return None,
            Self::Block { reason } => json!({"decision": "block", "reason": reason}),
            Self::Deny { reason } => json!({
                "hookSpecificOutput": {
                    "hookEventName": HookEvent::PreToolUse.name(),
                    "permissionDecision": "deny",
                    "permissionDecisionReason": reason,
                }
            }),
            Self::Warn { message } => json!({"systemMessage": message}),
            Self::AddContext { event, text } => json!({
                "hookSpecificOutput": {"hookEventName": event.name(), "additionalContext": text}
            }),
        };
        Some(value.to_string())
    }

    pub fn write(&self, mut stdout: impl Write) -> io::Result<()> {
        match self.to_json() {
            None => Ok(()),
            Some(json) => writeln!(stdout, "{json}"),
        }
    }
}

/// A hook's answer with its log lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookDecision {
    pub output: HookOutput,
    pub log: Vec<String>,
}

impl HookDecision {
    pub fn silent(why: impl Into<String>) -> Self {
        Self { output: HookOutput::Silent, log: vec![why.into()] }
    }

    /// Writes the answer to standard output and the log to standard error. Ignores write errors, which a
    /// hook cannot report.
    pub fn deliver(&self, hook: &str) {
        let mut stderr = io::stderr().lock();
        for line in &self.log {
            let _ = writeln!(stderr, "{hook}: {}", plain(line));
        }
        let _ = self.output.write(io::stdout().lock());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_is_one_line_of_json_or_nothing() {
        let written = |output: HookOutput| {
            let mut bytes = Vec::new();
            output.write(&mut bytes).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(written(HookOutput::Silent), "");
        assert_eq!(
            written(HookOutput::Block { reason: "a\nb".into() }),
            "{\"decision\":\"block\",\"reason\":\"a\\nb\"}\n"
        );
        assert_eq!(
            written(HookOutput::Deny { reason: "r".into() }),
            "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\
             \"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"r\"}}\n"
        );
        assert_eq!(
            written(HookOutput::Warn { message: "w".into() }),
            "{\"systemMessage\":\"w\"}\n"
        );
        assert_eq!(
            written(HookOutput::AddContext { event: HookEvent::PostToolUse, text: "t".into() }),
            "{\"hookSpecificOutput\":{\"additionalContext\":\"t\",\"hookEventName\":\"PostToolUse\"}}\n"
        );
    }
}
