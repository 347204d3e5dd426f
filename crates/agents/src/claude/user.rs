//! `user` lines: tool results. Prompts, echoes and hook feedback have the same type and are ignored.

use serde::Deserialize;

use super::decoder::Decoder;
use super::message_line::MessageLine;
use crate::one_line::one_line;
use crate::raw::Raw;
use crate::{AgentEvent, ToolOutcome, ToolOutput};

#[derive(Deserialize)]
struct TextBlock<'a> {
    #[serde(borrow)]
    text: Raw<'a>,
}

pub(super) fn decode(
    decoder: &mut Decoder,
    line: &str,
    emit: &mut dyn FnMut(AgentEvent),
) -> serde_json::Result<()> {
    let MessageLine { message, tool_use_result, .. } = MessageLine::read(line)?;
    for block in message.content {
        if !block.kind.is("tool_result") {
            continue;
        }
        let id = block.tool_use_id.string().unwrap_or_default();
        let todo = decoder.todo.tool_ended(&id, tool_use_result);
        let outcome = match block.is_error.flag() {
            Some(true) => ToolOutcome::Failed,
            _ => ToolOutcome::Ok,
        };
        emit(AgentEvent::ToolEnded {
            id,
            outcome,
            summary: summary(block.content),
            output: output(block.content),
        });
        if let Some(items) = todo {
            emit(AgentEvent::Todo { items });
        }
    }
    Ok(())
}

/// The output is a text, or a list whose items may be texts.
pub(crate) fn summary(content: Raw<'_>) -> String {
    let first_text = |part: Raw<'_>| {
        part.parse::<TextBlock<'_>>().and_then(|TextBlock { text }| text.beginning())
    };
    let text = content.beginning().or_else(|| content.items().into_iter().find_map(first_text));
    text.as_deref().map(failure_text).unwrap_or_default()
}

pub(crate) fn output(content: Raw<'_>) -> ToolOutput {
    // Parsing a text as a list would decode all of it.
    if content.json().starts_with('"') {
        return ToolOutput::of_raw(content);
    }
    let mut parts = content.items().into_iter().filter_map(Raw::parse::<TextBlock<'_>>);
    match parts.find(|part| part.text.is_present()) {
        Some(TextBlock { text }) => ToolOutput::of_raw(text),
        None => ToolOutput::default(),
    }
}

/// Joins the exit code of a failed command with its next line, which says why.
fn failure_text(text: &str) -> String {
    const ERROR: (&str, &str) = ("<tool_use_error>", "</tool_use_error>");
    let text = text.strip_prefix(ERROR.0).map_or(text, |error| error.trim_end_matches(ERROR.1));
    match text.split_once('\n') {
        Some((code, why)) if code.starts_with("Exit code ") && !why.trim().is_empty() => {
            format!("{code}: {}", one_line(why))
        }
        _ => one_line(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_why() {
        assert_eq!(
            failure_text("Exit code 2\nsh: cannot open x\nmore"),
            "Exit code 2: sh: cannot open x"
        );
        assert_eq!(failure_text("Exit code 1\n\n"), "Exit code 1");
        assert_eq!(failure_text("<tool_use_error>Blocked: x</tool_use_error>"), "Blocked: x");
        assert_eq!(failure_text("a\nb"), "a");
    }
}
