//! `result` lines: the result of the session. They have neither cost nor tokens, and the exit code is 0 even if
//! the model could not be reached.

use std::time::Duration;

use serde::Deserialize;

use crate::raw::Raw;
use crate::{AgentResult, Ending, TokenCount, http_status};

#[derive(Deserialize)]
struct AmpResultLine<'a> {
    #[serde(borrow)]
    subtype: Raw<'a>,
    #[serde(borrow)]
    is_error: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
    #[serde(borrow)]
    result: Raw<'a>,
    #[serde(borrow)]
    num_turns: Raw<'a>,
    #[serde(borrow)]
    duration_ms: Raw<'a>,
    #[serde(borrow)]
    session_id: Raw<'a>,
}

pub(super) fn decode(line: &str, tokens: TokenCount) -> serde_json::Result<AgentResult> {
    let line: AmpResultLine<'_> = serde_json::from_str(line)?;
    let ending = ending(&line);
    let text = match ending {
        Ending::Completed => line.result.string().unwrap_or_default(),
        _ => String::new(),
    };
    Ok(AgentResult {
        ending,
        text,
        cost_usd: None,
        tokens,
        turns: line.num_turns.whole(),
        duration: line.duration_ms.whole().map(Duration::from_millis),
        context_window: None,
        model: None,
        session_id: line.session_id.string(),
        structured: None,
    })
}

/// A result without a success flag counts as failed.
fn ending(line: &AmpResultLine<'_>) -> Ending {
    let reason = line.subtype.string().unwrap_or_default();
    if line.is_error.flag() == Some(false) && reason == "success" {
        return Ending::Completed;
    }
    let message = line.error.string().unwrap_or_default();
    match http_status::find_in(&message) {
        Some(status) => Ending::ApiError { status: Some(status), message },
        None => Ending::Other { reason, message },
    }
}
