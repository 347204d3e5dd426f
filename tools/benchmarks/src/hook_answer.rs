//! The answer of a hook, reduced to what every implementation must agree on.

use std::fmt;

use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookAnswer {
    Silence,
    Block,
    Deny,
    Notice,
    Warning,
    Critical,
}

impl HookAnswer {
    const LEVELS: [(Self, &str); 3] =
        [(Self::Notice, "NOTICE"), (Self::Warning, "WARNING"), (Self::Critical, "CRITICAL")];

    /// `None` if it is no valid hook answer.
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
        let context = specific["additionalContext"].as_str()?;
        Self::LEVELS.into_iter().find(|(_, word)| context.contains(word)).map(|(answer, _)| answer)
    }
}

impl fmt::Display for HookAnswer {
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
        let warned = r#"{"hookSpecificOutput":{"additionalContext":"WARNING: 75 %"}}"#;
        let denied = r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"x"}}"#;
        assert_eq!(HookAnswer::of(denied), Some(HookAnswer::Deny));
        assert_eq!(HookAnswer::of("\n"), Some(HookAnswer::Silence));
        assert_eq!(HookAnswer::of(r#"{"decision":"block","reason":"x"}"#), Some(HookAnswer::Block));
        assert_eq!(HookAnswer::of(warned), Some(HookAnswer::Warning));
        assert_eq!(HookAnswer::of("Traceback"), None);
        assert_eq!(HookAnswer::of("{}"), None);
    }
}
