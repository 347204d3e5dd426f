//! What commands print as JSON, safe on a terminal too.

use serde::Serialize;

use crate::command_error::CommandError;

/// Over several lines, with a line end.
pub(crate) fn pretty(value: &impl Serialize) -> Result<String, CommandError> {
    Ok(written(serde_json::to_string_pretty(value))? + "\n")
}

/// On one line, without its end.
pub(crate) fn line(value: &impl Serialize) -> Result<String, CommandError> {
    written(serde_json::to_string(value))
}

fn written(json: serde_json::Result<String>) -> Result<String, CommandError> {
    let json = json.map_err(|error| CommandError::io("write JSON")(error.into()))?;
    Ok(plain_text::json(json))
}
