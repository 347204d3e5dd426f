//! The hook's answer: exactly one JSON object on standard output, or nothing.

use std::io::{self, Write};

use serde_json::json;

use crate::{HookEvent, plain};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookOutput {
    /// Nothing to say: the session goes its way.
    Silent,
    /// The session may not end; the model is told why.
    Block { reason: String },
    /// The tool may not be used; the model is told why.
    Deny { reason: String },
    /// The session goes its way; the user is told something.
    Warn { message: String },
    /// The session goes its way; the model is told something.
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

/// A hook's answer, and for the log how it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub output: HookOutput,
    pub log: Vec<String>,
}

impl Verdict {
    pub fn silent(why: impl Into<String>) -> Self {
        Self { output: HookOutput::Silent, log: vec![why.into()] }
    }

    /// The answer goes to standard output, the log to standard error behind the hook's name. A hook
    /// has nobody to tell that its words could not be written.
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
