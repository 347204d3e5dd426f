//! `result` lines: result and cost of the session.
//!
//! `is_error` has precedence over `subtype`: an API error has the subtype `success`.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::Value;

use super::assistant;
use super::decoder_state::Decoder;
use crate::decode::Emit;
use crate::raw::{Object, Raw};
use crate::{AgentEvent, AgentResult, Ending, QuotaState, TokenCount, UsageLimit};

/// The usage of one model.
struct ModelTotals {
    model: String,
    tokens: TokenCount,
    context_window: Option<u64>,
}

pub(super) fn decode(decoder: &mut Decoder, line: &Object<'_>, emit: Emit<'_>) {
    let totals = totals(line["modelUsage"]);
    let main = main_model(&totals, decoder.model.as_deref());
    // `usage` excludes subagents, and with several results it only covers the last one.
    let mut tokens = TokenCount::default();
    totals.iter().for_each(|total| tokens.add(total.tokens));
    if totals.is_empty() {
        tokens = assistant::tokens(line["usage"]);
    }
    emit(AgentEvent::Result(AgentResult {
        ending: ending(line, decoder.limit.as_ref()),
        text: line["result"].string().unwrap_or_default(),
        cost_usd: line["total_cost_usd"].number(),
        tokens,
        turns: line["num_turns"].whole(),
        duration: line["duration_ms"].whole().map(Duration::from_millis),
        context_window: main.and_then(|total| total.context_window),
        model: main.map(|total| total.model.clone()).or_else(|| decoder.model.clone()),
        session_id: line["session_id"].string(),
        structured: line["structured_output"].parse().filter(Value::is_object),
    }));
}

fn ending(line: &Object<'_>, limit: Option<&UsageLimit>) -> Ending {
    let reason =
        line["terminal_reason"].text().or_else(|| line["subtype"].text()).unwrap_or_default();
    let failed = match line["is_error"].flag() {
        Some(failed) => failed,
        None => line["is_error"].is_present() || !looks_successful(line, &reason, limit),
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
fn looks_successful(line: &Object<'_>, reason: &str, limit: Option<&UsageLimit>) -> bool {
    let is_success = match line["subtype"].text() {
        Some(subtype) => subtype == "success",
        None => reason == "completed",
    };
    let is_rejected = limit.is_some_and(|limit| limit.state == QuotaState::Rejected);
    let is_refused = line["api_error_status"].is_present() || !line["errors"].items().is_empty();
    is_success && !is_rejected && !is_refused
}

fn failure(line: &Object<'_>, reason: &str, limit: Option<&UsageLimit>) -> Ending {
    let status = line["api_error_status"].status();
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

fn message(line: &Object<'_>) -> String {
    let errors: Vec<_> = line["errors"].items().into_iter().filter_map(Raw::text).collect();
    match &*errors {
        [] => line["result"].string().unwrap_or_default(),
        errors => errors.join("; "),
    }
}

fn totals(model_usage: Raw<'_>) -> Vec<ModelTotals> {
    let total = |(model, usage): (Cow<'_, str>, Raw<'_>)| {
        let usage: Object<'_> = usage.parse()?;
        let names =
            ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"];
        let tokens = TokenCount::read(&usage, names);
        Some(ModelTotals {
            model: model.into_owned(),
            tokens,
            context_window: usage["contextWindow"].whole(),
        })
    };
    model_usage.fields().0.into_iter().filter_map(total).collect()
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
