//! `run_result` lines: result and cost of the session.
//!
//! Their `text` is ignored: it can be an error message or the output of a tool. The agent's text came before.

use std::time::Duration;

use super::decoder::Decoder;
use crate::decode::Emit;
use crate::raw::Object;
use crate::{AgentEvent, AgentResult, Ending, TokenCount, http_status};

pub(super) fn decode(decoder: &mut Decoder, line: &Object<'_>, emit: Emit<'_>) {
    decoder.messages.end(emit);
    // The aggregate includes subagents.
    let usage = line["aggregateUsage"].parse().unwrap_or_else(|| line["usage"].fields());
    let text = decoder.messages.final_message().to_owned();
    emit(AgentEvent::Result(AgentResult {
        cost_usd: usage["totalCost"].number(),
        tokens: tokens(&usage),
        turns: line["iterations"].whole(),
        duration: line["durationMs"].whole().map(Duration::from_millis),
        model: line["model"].fields()["id"].string(),
        session_id: decoder.session_id.clone(),
        ..AgentResult::of(ending(decoder, line), text)
    }));
}

fn ending(decoder: &Decoder, line: &Object<'_>) -> Ending {
    let error = decoder.fatal_error.as_ref();
    let message = || match error {
        Some(error) => error.message.clone(),
        None => line["text"].string().unwrap_or_default(),
    };
    match line["finishReason"].text().as_deref() {
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
fn tokens(usage: &Object<'_>) -> TokenCount {
    let names = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"];
    let tokens = TokenCount::read(usage, names);
    TokenCount { input: tokens.input.saturating_sub(tokens.cache_read), ..tokens }
}
