//! JSON output of commands, without control characters.

use anyhow::{Context, Result};
use serde::Serialize;

/// Indented, with a newline at the end.
pub(crate) fn pretty(value: &impl Serialize) -> Result<String> {
    Ok(written(serde_json::to_string_pretty(value))? + "\n")
}

/// [`pretty`] if `is_json`, else the text.
pub(crate) fn or_text(
    is_json: bool,
    value: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<String> {
    if is_json { pretty(value) } else { Ok(text()) }
}

/// On one line, without a newline.
pub(crate) fn line(value: &impl Serialize) -> Result<String> {
    written(serde_json::to_string(value))
}

fn written(json: serde_json::Result<String>) -> Result<String> {
    Ok(sanitize::json(json.context("cannot write JSON")?))
}
