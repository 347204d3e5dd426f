//! Decodes stream lines to events.
//!
//! Only `turn.completed` and `turn.failed` end a turn: an `error` line can be one of many retries. A session
//! without either was interrupted.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Local};
use serde::Deserialize;

use super::failure;
use super::item::{self, Phase, Turn};
use crate::one_line::one_line;
use crate::raw::Raw;
use crate::{AgentEvent, AgentResult, Ending, JsonDecoder, TokenCount, http_status};

/// State between lines.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    session_id: Option<String>,
    turn: Turn,
}

#[derive(Deserialize)]
struct CodexLine<'a> {
    #[serde(borrow)]
    thread_id: Raw<'a>,
    #[serde(borrow)]
    item: Raw<'a>,
    #[serde(borrow)]
    usage: Raw<'a>,
    #[serde(borrow)]
    error: Raw<'a>,
    #[serde(borrow)]
    message: Raw<'a>,
}

#[derive(Deserialize)]
struct Usage<'a> {
    #[serde(borrow)]
    input_tokens: Raw<'a>,
    #[serde(borrow)]
    cached_input_tokens: Raw<'a>,
    #[serde(borrow)]
    cache_write_input_tokens: Raw<'a>,
    #[serde(borrow)]
    output_tokens: Raw<'a>,
}

#[derive(Deserialize)]
struct TurnError<'a> {
    #[serde(borrow)]
    message: Raw<'a>,
}

impl JsonDecoder for Decoder {
    fn decode(
        &mut self,
        kind: &str,
        line: &str,
        emit: &mut dyn FnMut(AgentEvent),
    ) -> serde_json::Result<()> {
        let line: CodexLine<'_> = serde_json::from_str(line)?;
        match kind {
            "thread.started" => {
                self.session_id = line.thread_id.string();
                emit(started(self.session_id.clone()));
            }
            "turn.started" => self.turn = Turn::default(),
            "item.started" => item::decode(&mut self.turn, Phase::Started, line.item, emit),
            "item.updated" => item::decode(&mut self.turn, Phase::Updated, line.item, emit),
            "item.completed" => item::decode(&mut self.turn, Phase::Completed, line.item, emit),
            "error" => emit(error(&line.message.text().unwrap_or_default())),
            "turn.completed" => {
                let text = self.turn.last_message.take().unwrap_or_default();
                emit(self.result(Ending::Completed, text, tokens(line.usage)));
            }
            "turn.failed" => {
                let message = line.error.parse().and_then(|TurnError { message }| message.string());
                // `Local::now` panics if the clock is before 1970.
                let now = DateTime::<Local>::from(SystemTime::now());
                let ending = failure::ending(message.unwrap_or_default(), now);
                // Text before a failure is not the final message.
                emit(self.result(ending, String::new(), tokens(line.usage)));
            }
            _ => {}
        }
        Ok(())
    }
}

impl Decoder {
    fn result(&self, ending: Ending, text: String, tokens: TokenCount) -> AgentEvent {
        AgentEvent::Result(AgentResult {
            ending,
            text,
            cost_usd: None,
            tokens,
            turns: None,
            duration: None,
            context_window: None,
            model: None,
            session_id: self.session_id.clone(),
            structured: None,
        })
    }
}

fn started(session_id: Option<String>) -> AgentEvent {
    AgentEvent::SessionStarted { session_id, model: None, version: None, plugins: Vec::new() }
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
    usage.parse().map_or_else(TokenCount::default, |usage: Usage<'_>| {
        let count = |tokens: Raw<'_>| tokens.whole().unwrap_or(0);
        let (cache_read, cache_creation) =
            (count(usage.cached_input_tokens), count(usage.cache_write_input_tokens));
        let cached = cache_read.saturating_add(cache_creation);
        TokenCount {
            input: count(usage.input_tokens).saturating_sub(cached),
            output: count(usage.output_tokens),
            cache_read,
            cache_creation,
        }
    })
}
