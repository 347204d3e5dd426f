//! `result` lines: result and cost of the session.
//!
//! `is_error` has precedence over `subtype`: an API error has the subtype `success`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::assistant;
use super::decoder::Decoder;
use crate::raw::Raw;
use crate::{AgentEvent, AgentResult, Ending, QuotaState, TokenCount, UsageLimit};

#[derive(Deserialize)]
struct ClaudeResultLine<'a> {
    #[serde(borrow)]
    subtype: Raw<'a>,
    #[serde(borrow)]
    is_error: Raw<'a>,
    #[serde(borrow)]
    terminal_reason: Raw<'a>,
    #[serde(borrow)]
    api_error_status: Raw<'a>,
    #[serde(borrow)]
    errors: Raw<'a>,
    #[serde(borrow)]
    result: Raw<'a>,
    #[serde(borrow)]
    total_cost_usd: Raw<'a>,
    #[serde(borrow)]
    usage: Raw<'a>,
    #[serde(rename = "modelUsage", borrow)]
    model_usage: Raw<'a>,
    #[serde(borrow)]
    num_turns: Raw<'a>,
    #[serde(borrow)]
    duration_ms: Raw<'a>,
    #[serde(borrow)]
    session_id: Raw<'a>,
    #[serde(borrow)]
    structured_output: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ModelUsage<'a> {
    #[serde(borrow)]
    input_tokens: Raw<'a>,
    #[serde(borrow)]
    output_tokens: Raw<'a>,
    #[serde(borrow)]
    cache_read_input_tokens: Raw<'a>,
    #[serde(borrow)]
    cache_creation_input_tokens: Raw<'a>,
    #[serde(borrow)]
    context_window: Raw<'a>,
}

/// The usage of one model.
struct ModelTotals {
    model: String,
    tokens: TokenCount,
    context_window: Option<u64>,
}

pub(super) fn decode(
    decoder: &mut Decoder,
    line: &str,
    emit: &mut dyn FnMut(AgentEvent),
) -> serde_json::Result<()> {
    let line: ClaudeResultLine<'_> = serde_json::from_str(line)?;
    let totals = totals(line.model_usage);
    let main = main_model(&totals, decoder.model.as_deref());
    // `usage` excludes subagents, and with several results it only covers the last one.
    let tokens = match &*totals {
        [] => assistant::tokens(line.usage),
        totals => totals.iter().fold(TokenCount::default(), |sum, total| sum.plus(total.tokens)),
    };
    emit(AgentEvent::Result(AgentResult {
        ending: ending(&line, decoder.limit.as_ref()),
        text: line.result.string().unwrap_or_default(),
        cost_usd: line.total_cost_usd.number(),
        tokens,
        turns: line.num_turns.whole(),
        duration: line.duration_ms.whole().map(Duration::from_millis),
        context_window: main.and_then(|total| total.context_window),
        model: main.map(|total| total.model.clone()).or_else(|| decoder.model.clone()),
        session_id: line.session_id.string(),
        structured: line.structured_output.parse().filter(Value::is_object),
    }));
    Ok(())
}

fn ending(line: &ClaudeResultLine<'_>, limit: Option<&UsageLimit>) -> Ending {
    let reason = line.terminal_reason.text().or_else(|| line.subtype.text()).unwrap_or_default();
    let failed = match line.is_error.flag() {
        Some(failed) => failed,
        None => line.is_error.is_present() || !looks_successful(line, &reason, limit),
    };
    match &*reason {
        "completed" | "success" if !failed => Ending::Completed,
        "max_turns" | "error_max_turns" => Ending::TurnLimit,
        "budget_exhausted" | "error_max_budget_usd" => Ending::BudgetExhausted,
        // All three mean that the context is full and compaction did not help.
        "prompt_too_long" | "blocking_limit" | "rapid_refill_breaker" => Ending::PromptTooLong,
        "structured_output_retry_exhausted" | "error_max_structured_output_retries" => {
            Ending::NoStructuredAnswer
        }
        "api_error" | "model_error" => failure(line, &reason, limit),
        _ if failed => failure(line, &reason, limit),
        _ => Ending::Other { reason: reason.into_owned(), message: message(line) },
    }
}

/// Whether a result without `is_error` looks successful; the exit code must agree.
fn looks_successful(line: &ClaudeResultLine<'_>, reason: &str, limit: Option<&UsageLimit>) -> bool {
    let is_success = match line.subtype.text() {
        Some(subtype) => subtype == "success",
        None => reason == "completed",
    };
    let is_rejected = limit.is_some_and(|limit| limit.state == QuotaState::Rejected);
    let is_refused = line.api_error_status.is_present() || !line.errors.items().is_empty();
    is_success && !is_rejected && !is_refused
}

fn failure(line: &ClaudeResultLine<'_>, reason: &str, limit: Option<&UsageLimit>) -> Ending {
    let status = line.api_error_status.whole().and_then(|status| u16::try_from(status).ok());
    let message = message(line);
    let from_api = status.is_some() || matches!(reason, "api_error" | "model_error" | "success");
    if !from_api {
        return Ending::Other { reason: reason.to_owned(), message };
    }
    // Older versions do not report the status.
    if matches!(status, Some(429) | None) {
        let rejected = limit.filter(|limit| limit.state == QuotaState::Rejected);
        if let Some(limit) = rejected {
            return Ending::UsageLimit { resets_at: limit.resets_at };
        }
        if let Some(reset) = reset_in_text(&message) {
            return Ending::UsageLimit { resets_at: Some(reset) };
        }
    }
    Ending::ApiError { status, message }
}

/// Older versions report a limit as the text `Claude AI usage limit reached|` and the unix seconds of its reset.
fn reset_in_text(message: &str) -> Option<u64> {
    let (_, after) = message.split_once("usage limit reached|")?;
    let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    after[..end].parse().ok()
}

fn message(line: &ClaudeResultLine<'_>) -> String {
    let errors: Vec<_> = line.errors.items().into_iter().filter_map(Raw::text).collect();
    match &*errors {
        [] => line.result.string().unwrap_or_default(),
        errors => errors.join("; "),
    }
}

fn totals(model_usage: Raw<'_>) -> Vec<ModelTotals> {
    let models: BTreeMap<String, Raw<'_>> = model_usage.parse().unwrap_or_default();
    let total = |(model, usage): (String, Raw<'_>)| {
        let usage: ModelUsage<'_> = usage.parse()?;
        let tokens = TokenCount {
            input: usage.input_tokens.whole().unwrap_or(0),
            output: usage.output_tokens.whole().unwrap_or(0),
            cache_read: usage.cache_read_input_tokens.whole().unwrap_or(0),
            cache_creation: usage.cache_creation_input_tokens.whole().unwrap_or(0),
        };
        Some(ModelTotals { model, tokens, context_window: usage.context_window.whole() })
    };
    models.into_iter().filter_map(total).collect()
}

/// The session's first model, else the one with the most output. Subagents and side calls have other models and
/// windows.
fn main_model<'a>(
    totals: &'a [ModelTotals],
    started_with: Option<&str>,
) -> Option<&'a ModelTotals> {
    totals
        .iter()
        .find(|total| Some(total.model.as_str()) == started_with)
        .or_else(|| totals.iter().max_by_key(|total| total.tokens.total()))
}
