//! `user` lines: tool results. Prompts, echoes and hook feedback have the same type and are ignored.

use super::decoder::Message;
use super::decoder_state::Decoder;
use crate::decode::Emit;
use crate::one_line::one_line;
use crate::raw::{Object, Raw};
use crate::{AgentEvent, ToolOutcome, ToolOutput};

pub(super) fn decode(
    decoder: &mut Decoder,
    line: &Object<'_>,
    message: &Message<'_>,
    emit: Emit<'_>,
) {
    for block in message.content.iter().filter(|block| block["type"].is("tool_result")) {
        let id = block["tool_use_id"].string().unwrap_or_default();
        let text = text(block["content"]).text().unwrap_or_default();
        let todo = decoder.todo.tool_ended(&id, line["tool_use_result"]);
        emit(AgentEvent::ToolEnded {
            id,
            outcome: ToolOutcome::failed_if(block["is_error"].flag() == Some(true)),
            summary: failure_text(&text),
            output: ToolOutput::of(&text),
        });
        if let Some(items) = todo {
            emit(AgentEvent::Todo { items });
        }
    }
}

/// The output is a text, or a list whose items may be texts.
pub(crate) fn text(content: Raw<'_>) -> Raw<'_> {
    // Parsing a text as a list would decode all of it.
    if content.json().starts_with('"') {
        return content;
    }
    let parts = content.objects();
    parts.iter().map(|part| part["text"]).find(|text| text.is_present()).unwrap_or_default()
}

/// Joins the exit code of a failed command with its next line, which says why.
pub(crate) fn failure_text(text: &str) -> String {
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
