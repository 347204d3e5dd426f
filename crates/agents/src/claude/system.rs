//! `system` lines: messages of Claude Code itself, by subtype.

use std::time::Duration;

use serde::Deserialize;

use super::decoder::Decoder;
use super::{hook_response, init};
use crate::AgentEvent;
use crate::raw::Raw;

/// Claude Code reports every blocked stop as an error; the hook's own answer is more useful.
const BLOCKED_STOP: &str = "stop-hook-error";

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    subtype: Raw<'a>,
}

#[derive(Deserialize)]
struct Retry<'a> {
    #[serde(borrow)]
    attempt: Raw<'a>,
    #[serde(borrow)]
    max_retries: Raw<'a>,
    #[serde(borrow)]
    retry_delay_ms: Raw<'a>,
    #[serde(borrow)]
    error_status: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
}

#[derive(Deserialize)]
struct Notification<'a> {
    #[serde(borrow)]
    key: Raw<'a>,
    #[serde(borrow)]
    text: Raw<'a>,
}

#[derive(Deserialize)]
struct Compaction<'a> {
    #[serde(borrow)]
    compact_metadata: Raw<'a>,
}

#[derive(Deserialize)]
struct CompactMetadata<'a> {
    #[serde(borrow)]
    post_tokens: Raw<'a>,
}

pub(super) fn decode(
    decoder: &mut Decoder,
    line: &str,
    emit: &mut dyn FnMut(AgentEvent),
) -> serde_json::Result<()> {
    let Head { subtype } = serde_json::from_str(line)?;
    match subtype.text().as_deref() {
        Some("init") => init::decode(decoder, line, emit)?,
        Some("api_retry") => emit(retry(&serde_json::from_str(line)?)),
        Some("hook_response") => emit(AgentEvent::Hook(hook_response::decode(line)?)),
        Some("notification") => {
            let Notification { key, text } = serde_json::from_str(line)?;
            let text = text.summary().filter(|_| !key.is(BLOCKED_STOP));
            if let Some(text) = text {
                emit(AgentEvent::Notice { text });
            }
        }
        Some("compact_boundary") => {
            let Compaction { compact_metadata } = serde_json::from_str(line)?;
            let metadata: Option<CompactMetadata<'_>> = compact_metadata.parse();
            let tokens_after = metadata.and_then(|metadata| metadata.post_tokens.whole());
            emit(AgentEvent::Compacted { tokens_after });
        }
        _ => {}
    }
    Ok(())
}

fn retry(retry: &Retry<'_>) -> AgentEvent {
    AgentEvent::Retry {
        attempt: retry.attempt.whole().unwrap_or(0),
        of: retry.max_retries.whole().unwrap_or(0),
        delay: Duration::from_millis(retry.retry_delay_ms.whole().unwrap_or(0)),
        status: retry.error_status.whole().and_then(|status| status.try_into().ok()),
        reason: retry.error.summary().unwrap_or_default(),
    }
}
