//! `result` lines: result and usage of the session.

use std::time::Duration;

use super::decoder::Decoder;
use crate::decode::Emit;
use crate::raw::{Object, Raw};
use crate::{AgentEvent, AgentResult, Ending, TokenCount};

/// The prefix of API error messages.
const API_ERROR: &str = "[API Error: ";

pub(super) fn decode(decoder: &mut Decoder, line: &Object<'_>, emit: Emit<'_>) {
    decoder.messages.end(emit);
    let stats = line["stats"].fields();
    let text = decoder.messages.final_message().to_owned();
    let result = AgentResult {
        tokens: tokens(&stats),
        duration: stats["duration_ms"].whole().map(Duration::from_millis),
        model: main_model(stats["models"]).or_else(|| decoder.model.clone()),
        session_id: decoder.session_id.clone(),
        ..AgentResult::of(ending(line), text)
    };
    decoder.result = Some(result.clone());
    emit(AgentEvent::Result(result));
}

fn ending(line: &Object<'_>) -> Ending {
    if line["status"].is("success") {
        return Ending::Completed;
    }
    let error = line["error"].fields();
    let message = error["message"].string().unwrap_or_default();
    match message.strip_prefix(API_ERROR) {
        Some(body) => Ending::ApiError { status: status_in_text(body), message },
        None => Ending::Other { reason: error["type"].string().unwrap_or_default(), message },
    }
}

/// The status of an API error that is JSON.
fn status_in_text(body: &str) -> Option<u16> {
    let error: Object<'_> = serde_json::from_str(body.trim_end().strip_suffix(']')?).ok()?;
    error["error"].fields()["code"].status()
}

/// `input_tokens` includes cached tokens; `input` does not.
fn tokens(stats: &Object<'_>) -> TokenCount {
    let (all_input, cached) = (stats["input_tokens"].count(), stats["cached"].count());
    TokenCount {
        input: stats["input"].whole().unwrap_or_else(|| all_input.saturating_sub(cached)),
        output: stats["output_tokens"].count(),
        cache_read: cached,
        cache_creation: 0,
    }
}

/// The model with the most tokens: a session starts with `auto`, and side calls have other models.
fn main_model(models: Raw<'_>) -> Option<String> {
    let models = models.fields().0.into_iter();
    let shares = models.map(|(model, stats)| (stats.fields()["total_tokens"].count(), model));
    shares.filter(|(total, _)| *total > 0).max().map(|(_, model)| model.into_owned())
}
