//! What commands print as JSON, safe on a terminal too.

use anyhow::{Context, Result};
use serde::Serialize;

/// Over several lines, with a line end.
pub(crate) fn pretty(value: &impl Serialize) -> Result<String> {
    Ok(written(serde_json::to_string_pretty(value))? + "\n")
}

/// On one line, without its end.
pub(crate) fn line(value: &impl Serialize) -> Result<String> {
    written(serde_json::to_string(value))
}

fn written(json: serde_json::Result<String>) -> Result<String> {
    Ok(sanitize::json(json.context("cannot write JSON")?))
}
