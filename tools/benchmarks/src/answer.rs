//! What a hook said, reduced to what must be the same whoever wrote the hook.

use std::fmt;

use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Silence,
    Block,
    Deny,
    Notice,
    Warning,
    Critical,
}

impl Answer {
    const SPOKEN: [(Self, &str); 3] =
        [(Self::Notice, "NOTICE"), (Self::Warning, "WARNING"), (Self::Critical, "CRITICAL")];

    /// `None` if it is nothing that a hook of ours should say.
    pub(crate) fn of(output: &str) -> Option<Self> {
        if output.trim().is_empty() {
            return Some(Self::Silence);
        }
        let output: Value = serde_json::from_str(output).ok()?;
        if output["decision"] == "block" {
            return output["reason"].is_string().then_some(Self::Block);
        }
        let specific = &output["hookSpecificOutput"];
        if specific["permissionDecision"] == "deny" {
            return specific["permissionDecisionReason"].is_string().then_some(Self::Deny);
        }
        let told = specific["additionalContext"].as_str()?;
        Self::SPOKEN.into_iter().find(|(_, word)| told.contains(word)).map(|(answer, _)| answer)
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Silence => "silence",
            Self::Block => "a block",
            Self::Deny => "a denial",
            Self::Notice => "a NOTICE",
            Self::Warning => "a WARNING",
            Self::Critical => "a CRITICAL alert",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_answers_count() {
        let told = r#"{"hookSpecificOutput":{"additionalContext":"WARNING: 75 %"}}"#;
        let denied = r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"x"}}"#;
        assert_eq!(Answer::of(denied), Some(Answer::Deny));
        assert_eq!(Answer::of("\n"), Some(Answer::Silence));
        assert_eq!(Answer::of(r#"{"decision":"block","reason":"x"}"#), Some(Answer::Block));
        assert_eq!(Answer::of(told), Some(Answer::Warning));
        assert_eq!(Answer::of("Traceback"), None);
        assert_eq!(Answer::of("{}"), None);
    }
}
