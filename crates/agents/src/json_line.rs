//! Parses one line of a JSON stream and its type.

use std::borrow::Cow;

use serde::Deserialize;

use crate::LineKind;
use crate::raw::{Raw, lossy};

/// Decodes one line, with or without its line break. An invalid line is noise, an empty one is not.
pub(crate) fn decode(
    bytes: &[u8],
    decode: impl FnOnce(&str, &str) -> serde_json::Result<()>,
) -> LineKind {
    let bytes = trim(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes));
    if bytes.is_empty() {
        return LineKind::Stream;
    }
    let line = lossy(bytes);
    match kind(&line).and_then(|kind| decode(&kind, &line)) {
        Ok(()) => LineKind::Stream,
        Err(_) => LineKind::Noise,
    }
}

/// A power cut leaves zeros around the last line of a file.
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

/// Finds the type at the start of most lines, so that irrelevant lines need no full parse.
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
