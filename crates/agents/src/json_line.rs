//! One line of a stream of JSON, and what it is.

use std::borrow::Cow;

use serde::Deserialize;

use crate::Heard;
use crate::raw::{Raw, lossy};

/// Reads one line, with or without its line break. An empty one is no noise; one that cannot be
/// read is.
pub(crate) fn hear(
    bytes: &[u8],
    decode: impl FnOnce(&str, &str) -> serde_json::Result<()>,
) -> Heard {
    let bytes = trim(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes));
    if bytes.is_empty() {
        return Heard::Stream;
    }
    let line = lossy(bytes);
    match kind(&line).and_then(|kind| decode(&kind, &line)) {
        Ok(()) => Heard::Stream,
        Err(_) => Heard::Noise,
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
