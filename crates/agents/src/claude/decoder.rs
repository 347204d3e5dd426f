//! One line of the stream in, events out.
//!
//! Only what this house uses is read; whatever else a line holds, new or odd, is passed over.

use std::borrow::Cow;

use serde::Deserialize;

use super::raw::{Raw, lossy};
use super::todo_list::TodoList;
use super::{assistant, rate_limit, result_line, system, user};
use crate::{AgentEvent, UsageLimit};

/// What must be remembered from line to line.
#[derive(Debug, Default)]
pub struct Decoder {
    pub(super) model: Option<String>,
    pub(super) counted_message: Option<String>,
    pub(super) limit: Option<UsageLimit>,
    pub(super) todo: TodoList,
    unreadable: u64,
}

impl Decoder {
    /// Takes one line, with or without its line break, whatever it holds.
    pub fn line(&mut self, bytes: &[u8], emit: &mut dyn FnMut(AgentEvent)) {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let bytes = trim(bytes);
        if bytes.is_empty() {
            return;
        }
        if self.decode(&lossy(bytes), emit).is_err() {
            self.unreadable += 1;
        }
    }

    /// How many lines were no JSON, or cut off.
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    fn decode(&mut self, line: &str, emit: &mut dyn FnMut(AgentEvent)) -> serde_json::Result<()> {
        match &*kind(line)? {
            "assistant" => assistant::decode(self, line, emit),
            "user" => user::decode(self, line, emit),
            "system" => system::decode(self, line, emit),
            "rate_limit_event" => rate_limit::decode(self, line, emit),
            "result" => result_line::decode(self, line, emit),
            _ => Ok(()),
        }
    }
}

/// Zeros are what a power cut leaves around the last line of a file.
fn trim(mut bytes: &[u8]) -> &[u8] {
    let empty = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    while let Some((_, rest)) = bytes.split_first().filter(|(first, _)| empty(first)) {
        bytes = rest;
    }
    while let Some((_, rest)) = bytes.split_last().filter(|(last, _)| empty(last)) {
        bytes = rest;
    }
    bytes
}

/// Most lines begin with their type, and those of no interest need no further reading.
fn kind(line: &str) -> serde_json::Result<Cow<'_, str>> {
    let start = line.strip_prefix(r#"{"type":""#).and_then(|rest| rest.split_once('"'));
    if let Some((kind, _)) = start {
        return Ok(kind.into());
    }
    let Head { kind } = serde_json::from_str(line)?;
    Ok(kind.text().unwrap_or_default())
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
}
