//! How a session ends, and its result line.

use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ending {
    /// With this text.
    Completed(String),
    /// With an accepted structured answer.
    Answered(Value),
    /// Every structured answer was refused.
    AnswersUsedUp {
        answers: u64,
        last_error: String,
    },
    /// After this many turns.
    TurnLimit(u64),
    /// In dollars.
    BudgetExhausted(f64),
    Failed(ApiFailure),
    /// While it used tools, or while it answered.
    Interrupted {
        uses_tools: bool,
    },
    /// Exits with this code, without a result line.
    Crashed(u8),
}

/// An API error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ApiFailure {
    pub(super) status: u16,
    pub(super) text: String,
    pub(super) terminal_reason: &'static str,
}

impl ApiFailure {
    pub(super) fn new(status: u16, message: &str) -> Self {
        let text = format!("API Error: {status} {message}");
        Self { status, text, terminal_reason: "api_error" }
    }

    pub(super) fn usage_limit() -> Self {
        let text = "You've hit your usage limit".to_owned();
        Self { status: 429, text, terminal_reason: "api_error" }
    }

    pub(super) fn prompt_too_long() -> Self {
        let text = "Prompt is too long · the request is ~210000 tokens (limit 200000)".to_owned();
        Self { status: 400, text, terminal_reason: "prompt_too_long" }
    }

    pub(super) fn names(&self) -> ErrorNames {
        let (kind, label, retried_as) = match self.status {
            400 => ("invalid_request_error", "invalid_request", None),
            401 => ("authentication_error", "authentication_failed", Some("authentication_failed")),
            403 => ("permission_error", "authentication_failed", None),
            429 => ("rate_limit_error", "rate_limit", Some("rate_limit")),
            529 => ("overloaded_error", "server_error", Some("overloaded")),
            500..=599 => ("api_error", "server_error", Some("server_error")),
            _ => ("api_error", "server_error", None),
        };
        ErrorNames { kind, label, retried_as }
    }
}

/// The names of an error type.
pub(super) struct ErrorNames {
    /// Of the API.
    pub(super) kind: &'static str,
    /// Of Claude Code.
    pub(super) label: &'static str,
    /// In a retry message; `None` if the error is not retried.
    pub(super) retried_as: Option<&'static str>,
}

impl Ending {
    /// Zero after success and, as in the real program, after an interrupt.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Completed(_) | Self::Answered(_) | Self::Interrupted { .. } => 0,
            Self::TurnLimit(_)
            | Self::BudgetExhausted(_)
            | Self::AnswersUsedUp { .. }
            | Self::Failed(_) => 1,
            Self::Crashed(exit_code) => *exit_code,
        }
    }

    /// The fields of the result line for this ending; `None` if there is no such line.
    pub(super) fn result_fields(&self) -> Option<Value> {
        let failed = |subtype: &str, reason: &str, stop_reason: &str, error: String| {
            json!({
                "subtype": subtype, "is_error": true, "terminal_reason": reason,
                "stop_reason": stop_reason, "errors": [error],
            })
        };
        let fields = match self {
            Self::Completed(text) => json!({
                "subtype": "success", "is_error": false, "terminal_reason": "completed",
                "stop_reason": "end_turn", "api_error_status": null, "result": text,
            }),
            Self::Answered(answer) => json!({
                "subtype": "success", "is_error": false, "terminal_reason": "completed",
                "stop_reason": "tool_use", "api_error_status": null, "result": answer.to_string(),
                "structured_output": answer,
            }),
            Self::AnswersUsedUp { answers, last_error } => {
                let error = format!(
                    "Failed to provide valid structured output after {answers} attempts — last \
                     StructuredOutput error: {last_error}"
                );
                let reason = "structured_output_retry_exhausted";
                failed("error_max_structured_output_retries", reason, "tool_use", error)
            }
            Self::Failed(failure) => json!({
                // The real program also reports success.
                "subtype": "success", "is_error": true, "terminal_reason": failure.terminal_reason,
                "stop_reason": "stop_sequence", "api_error_status": failure.status,
                "api_error_type": failure.names().kind, "result": failure.text,
            }),
            Self::TurnLimit(turns) => {
                let error = format!("Reached maximum number of turns ({turns})");
                failed("error_max_turns", "max_turns", "tool_use", error)
            }
            Self::BudgetExhausted(usd) => {
                let error = format!("Reached maximum budget (${usd})");
                failed("error_max_budget_usd", "budget_exhausted", "tool_use", error)
            }
            Self::Interrupted { uses_tools } => {
                let (reason, stop_reason) = match uses_tools {
                    true => ("aborted_tools", "tool_use"),
                    false => ("aborted_streaming", "end_turn"),
                };
                let error = "[Request interrupted by user]".to_owned();
                failed("error_during_execution", reason, stop_reason, error)
            }
            Self::Crashed(_) => return None,
        };
        Some(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_failure_has_the_subtype_success() {
        let ending = Ending::Failed(ApiFailure::new(529, "Overloaded"));
        let fields = ending.result_fields().unwrap();
        assert_eq!((&fields["subtype"], &fields["is_error"]), (&json!("success"), &json!(true)));
        assert_eq!(fields["result"], "API Error: 529 Overloaded");
        assert_eq!(ending.exit_code(), 1);
    }

    #[test]
    fn a_crash_has_no_result() {
        let ending = Ending::Crashed(7);
        assert_eq!((ending.result_fields(), ending.exit_code()), (None, 7));
    }

    #[test]
    fn limits_are_errors_without_an_answer() {
        let ending = Ending::BudgetExhausted(0.02);
        let fields = ending.result_fields().unwrap();
        assert_eq!(fields["errors"], json!(["Reached maximum budget ($0.02)"]));
        assert_eq!((fields.get("result"), ending.exit_code()), (None, 1));
    }
}
