//! `run_result` lines: result and cost of the session.
//!
//! Their `text` is ignored: it can be an error message or the output of a tool. The agent's text came before.

use std::time::Duration;

use serde::Deserialize;

use super::decoder::Decoder;
use crate::raw::Raw;
use crate::{AgentEvent, AgentResult, Ending, TokenCount, http_status};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunResultLine<'a> {
    #[serde(borrow)]
    finish_reason: Raw<'a>,
    #[serde(borrow)]
    iterations: Raw<'a>,
    #[serde(borrow)]
    usage: Raw<'a>,
    /// Includes subagents.
    #[serde(borrow)]
    aggregate_usage: Raw<'a>,
    #[serde(borrow)]
    duration_ms: Raw<'a>,
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    model: Raw<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usage<'a> {
    #[serde(borrow)]
    input_tokens: Raw<'a>,
    #[serde(borrow)]
    output_tokens: Raw<'a>,
    #[serde(borrow)]
    cache_read_tokens: Raw<'a>,
    #[serde(borrow)]
    cache_write_tokens: Raw<'a>,
    #[serde(borrow)]
    total_cost: Raw<'a>,
}

#[derive(Deserialize)]
struct Model<'a> {
    #[serde(borrow)]
    id: Raw<'a>,
}

pub(super) fn decode(
    decoder: &mut Decoder,
    line: &str,
    emit: &mut dyn FnMut(AgentEvent),
) -> serde_json::Result<()> {
    let line: RunResultLine<'_> = serde_json::from_str(line)?;
    decoder.messages.end(emit);
    let usage: Usage<'_> =
        line.aggregate_usage.parse().or_else(|| line.usage.parse()).unwrap_or_default();
    emit(AgentEvent::Result(AgentResult {
        ending: ending(decoder, &line),
        text: decoder.messages.final_message().to_owned(),
        cost_usd: usage.total_cost.number(),
        tokens: tokens(&usage),
        turns: line.iterations.whole(),
        duration: line.duration_ms.whole().map(Duration::from_millis),
        context_window: None,
        model: line.model.parse().and_then(|model: Model<'_>| model.id.string()),
        session_id: decoder.session_id.clone(),
        structured: None,
    }));
    Ok(())
}

fn ending(decoder: &Decoder, line: &RunResultLine<'_>) -> Ending {
    let error = decoder.fatal_error.as_ref();
    let message = || match error {
        Some(error) => error.message.clone(),
        None => line.text.string().unwrap_or_default(),
    };
    match line.finish_reason.text().as_deref() {
        Some("completed") => Ending::Completed,
        Some("max_iterations") => Ending::TurnLimit,
        // The line has no field for the status.
        Some("error") => {
            let message = message();
            let unauthorized = error.filter(|error| error.class == "auth").map(|_| 401);
            Ending::ApiError {
                status: unauthorized.or_else(|| http_status::find_in(&message)),
                message,
            }
        }
        reason => Ending::Other {
            reason: reason.unwrap_or("no reason given").to_owned(),
            message: message(),
        },
    }
}

/// The input includes cached tokens.
fn tokens(usage: &Usage<'_>) -> TokenCount {
    let cache_read = usage.cache_read_tokens.whole().unwrap_or(0);
    TokenCount {
        input: usage.input_tokens.whole().unwrap_or(0).saturating_sub(cache_read),
        output: usage.output_tokens.whole().unwrap_or(0),
        cache_read,
        cache_creation: usage.cache_write_tokens.whole().unwrap_or(0),
    }
}
