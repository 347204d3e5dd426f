//! `system` lines: messages of Claude Code itself, by subtype.

use std::time::Duration;

use super::decoder_state::Decoder;
use super::hook_response;
use crate::decode::Emit;
use crate::one_line::one_line;
use crate::raw::Object;
use crate::{AgentEvent, LoadedPlugin};

/// Claude Code reports every blocked stop as an error; the hook's own answer is more useful.
const BLOCKED_STOP: &str = "stop-hook-error";

pub(super) fn decode(decoder: &mut Decoder, line: &Object<'_>, emit: Emit<'_>) {
    match line["subtype"].text().as_deref() {
        Some("init") => init(decoder, line, emit),
        Some("api_retry") => emit(AgentEvent::Retry {
            attempt: line["attempt"].count(),
            of: line["max_retries"].count(),
            delay: Duration::from_millis(line["retry_delay_ms"].count()),
            status: line["error_status"].status(),
            reason: line["error"].summary().unwrap_or_default(),
        }),
        Some("hook_response") => emit(AgentEvent::Hook(hook_response::decode(line))),
        Some("notification") => {
            let text = line["text"].summary().filter(|_| !line["key"].is(BLOCKED_STOP));
            if let Some(text) = text {
                emit(AgentEvent::Notice { text });
            }
        }
        Some("compact_boundary") => {
            let tokens_after = line["compact_metadata"].fields()["post_tokens"].whole();
            emit(AgentEvent::Compacted { tokens_after });
        }
        _ => {}
    }
}

/// The session and what it loaded.
fn init(decoder: &mut Decoder, line: &Object<'_>, emit: Emit<'_>) {
    decoder.model = line["model"].string();
    emit(AgentEvent::SessionStarted {
        session_id: line["session_id"].string(),
        model: decoder.model.clone(),
        version: line["claude_code_version"].string(),
        plugins: line["plugins"].objects().iter().filter_map(plugin).collect(),
    });
    for error in line["plugin_errors"].objects() {
        let plugin = error["plugin"].text().unwrap_or_default();
        let message = error["message"].text().unwrap_or_default();
        emit(AgentEvent::Notice { text: one_line(&format!("plugin {plugin}: {message}")) });
    }
}

fn plugin(plugin: &Object<'_>) -> Option<LoadedPlugin> {
    Some(LoadedPlugin {
        name: plugin["name"].string()?,
        path: plugin["path"].string().unwrap_or_default().into(),
    })
}
