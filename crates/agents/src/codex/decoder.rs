//! Decodes stream lines to events.
//!
//! Only `turn.completed` and `turn.failed` end a turn: an `error` line can be one of many retries. A session
//! without either was interrupted.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Local};

use super::failure;
use super::item::{self, Phase, Turn};
use crate::decode::{Emit, JsonDecoder};
use crate::one_line::one_line;
use crate::raw::{Object, Raw};
use crate::{AgentEvent, AgentResult, Ending, TokenCount, http_status};

/// State between lines.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    session_id: Option<String>,
    turn: Turn,
}

impl JsonDecoder for Decoder {
    fn decode(&mut self, kind: &str, line: &Object<'_>, emit: Emit<'_>) -> serde_json::Result<()> {
        match kind {
            "thread.started" => {
                self.session_id = line["thread_id"].string();
                emit(AgentEvent::started(self.session_id.clone(), None));
            }
            "turn.started" => self.turn = Turn::default(),
            "item.started" => item::decode(&mut self.turn, Phase::Started, line["item"], emit),
            "item.updated" => item::decode(&mut self.turn, Phase::Updated, line["item"], emit),
            "item.completed" => item::decode(&mut self.turn, Phase::Completed, line["item"], emit),
            "error" => emit(error(&line["message"].text().unwrap_or_default())),
            "turn.completed" => {
                let text = self.turn.last_message.take().unwrap_or_default();
                emit(self.result(Ending::Completed, text, line["usage"]));
            }
            "turn.failed" => {
                let message = line["error"].fields()["message"].string();
                // `Local::now` panics if the clock is before 1970.
                let now = DateTime::<Local>::from(SystemTime::now());
                let ending = failure::ending(message.unwrap_or_default(), now);
                // Text before a failure is not the final message.
                emit(self.result(ending, String::new(), line["usage"]));
            }
            _ => {}
        }
        Ok(())
    }
}

impl Decoder {
    fn result(&self, ending: Ending, text: String, usage: Raw<'_>) -> AgentEvent {
        AgentEvent::Result(AgentResult {
            tokens: tokens(usage),
            session_id: self.session_id.clone(),
            ..AgentResult::of(ending, text)
        })
    }
}

/// A retry has the form `Reconnecting... 2/5 (why)`.
fn error(message: &str) -> AgentEvent {
    let retry = || {
        let (count, why) = message.strip_prefix("Reconnecting... ")?.split_once(' ')?;
        let (attempt, of) = count.split_once('/')?;
        let why = why.strip_prefix('(').and_then(|why| why.strip_suffix(')')).unwrap_or(why);
        Some(AgentEvent::Retry {
            attempt: attempt.parse().ok()?,
            of: of.parse().ok()?,
            delay: Duration::ZERO,
            status: http_status::find_in(why),
            reason: one_line(why),
        })
    };
    retry().unwrap_or_else(|| AgentEvent::Notice { text: one_line(message) })
}

/// Codex's input count includes tokens read from and written to the cache.
fn tokens(usage: Raw<'_>) -> TokenCount {
    let names =
        ["input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens"];
    let tokens = TokenCount::read(&usage.fields(), names);
    let cached = tokens.cache_read.saturating_add(tokens.cache_creation);
    TokenCount { input: tokens.input.saturating_sub(cached), ..tokens }
}
