//! `result` lines: result and usage of the session.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use super::decoder::Decoder;
use crate::raw::Raw;
use crate::{AgentEvent, AgentResult, Ending, TokenCount};

/// The prefix of API error messages.
const API_ERROR: &str = "[API Error: ";

#[derive(Deserialize)]
struct GeminiResultLine<'a> {
    #[serde(borrow)]
    status: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
    #[serde(borrow)]
    stats: Raw<'a>,
}

#[derive(Default, Deserialize)]
struct ResultError<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    #[serde(borrow)]
    message: Raw<'a>,
}

#[derive(Default, Deserialize)]
struct Stats<'a> {
    #[serde(borrow)]
    total_tokens: Raw<'a>,
    /// Includes cached tokens; `input` does not.
    #[serde(borrow)]
    input_tokens: Raw<'a>,
    #[serde(borrow)]
    output_tokens: Raw<'a>,
    #[serde(borrow)]
    cached: Raw<'a>,
    #[serde(borrow)]
    input: Raw<'a>,
    #[serde(borrow)]
    duration_ms: Raw<'a>,
    #[serde(borrow)]
    models: Raw<'a>,
}

#[derive(Deserialize)]
struct ApiError<'a> {
    #[serde(borrow)]
    error: Raw<'a>,
}

#[derive(Deserialize)]
struct ApiErrorBody<'a> {
    #[serde(borrow)]
    code: Raw<'a>,
}

pub(super) fn decode(
    decoder: &mut Decoder,
    line: &str,
    emit: &mut dyn FnMut(AgentEvent),
) -> serde_json::Result<()> {
    let line: GeminiResultLine<'_> = serde_json::from_str(line)?;
    decoder.messages.end(emit);
    let stats: Stats<'_> = line.stats.parse().unwrap_or_default();
    let result = AgentResult {
        ending: ending(&line),
        text: decoder.messages.final_message().to_owned(),
        cost_usd: None,
        tokens: tokens(&stats),
        turns: None,
        duration: stats.duration_ms.whole().map(Duration::from_millis),
        context_window: None,
        model: main_model(stats.models).or_else(|| decoder.model.clone()),
        session_id: decoder.session_id.clone(),
        structured: None,
    };
    decoder.result = Some(result.clone());
    emit(AgentEvent::Result(result));
    Ok(())
}

fn ending(line: &GeminiResultLine<'_>) -> Ending {
    if line.status.is("success") {
        return Ending::Completed;
    }
    let error: ResultError<'_> = line.error.parse().unwrap_or_default();
    let message = error.message.string().unwrap_or_default();
    match message.strip_prefix(API_ERROR) {
        Some(body) => Ending::ApiError { status: status_in_text(body), message },
        None => Ending::Other { reason: error.kind.string().unwrap_or_default(), message },
    }
}

/// The status of an API error that is JSON.
fn status_in_text(body: &str) -> Option<u16> {
    let error: ApiError<'_> = serde_json::from_str(body.trim_end().strip_suffix(']')?).ok()?;
    let body: ApiErrorBody<'_> = error.error.parse()?;
    body.code.whole().and_then(|code| code.try_into().ok())
}

fn tokens(stats: &Stats<'_>) -> TokenCount {
    let cached = stats.cached.whole().unwrap_or(0);
    let all_input = stats.input_tokens.whole().unwrap_or(0);
    TokenCount {
        input: stats.input.whole().unwrap_or_else(|| all_input.saturating_sub(cached)),
        output: stats.output_tokens.whole().unwrap_or(0),
        cache_read: cached,
        cache_creation: 0,
    }
}

/// The model with the most tokens: a session starts with `auto`, and side calls have other models.
fn main_model(models: Raw<'_>) -> Option<String> {
    let models: BTreeMap<String, Raw<'_>> = models.parse()?;
    let total = |stats: Raw<'_>| {
        stats.parse().and_then(|stats: Stats<'_>| stats.total_tokens.whole()).unwrap_or(0)
    };
    let shares = models.into_iter().map(|(model, stats)| (total(stats), model));
    shares.filter(|(total, _)| *total > 0).max().map(|(_, model)| model)
}
