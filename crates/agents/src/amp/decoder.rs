//! Decodes stream lines to events. Lines with Claude Code's format are decoded there.

use std::time::Duration;

use crate::claude::{self, assistant, user};
use crate::decode::{Emit, JsonDecoder};
use crate::raw::Object;
use crate::{AgentEvent, AgentResult, Ending, TokenCount, ToolOutcome, ToolOutput, http_status};

/// State between lines.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    like_claude: claude::Decoder,
    /// The sum of all messages, because the result line has no tokens.
    spent: TokenCount,
}

impl JsonDecoder for Decoder {
    fn decode(&mut self, kind: &str, line: &Object<'_>, emit: Emit<'_>) -> serde_json::Result<()> {
        match kind {
            "assistant" => {
                self.spent.add(assistant::tokens(claude::Message::of(line)?.usage));
                self.like_claude.decode(kind, line, emit)
            }
            "system" => self.like_claude.decode(kind, line, emit),
            // Tool results, and the prompt, which is ignored.
            "user" => {
                let message = claude::Message::of(line)?;
                let results =
                    message.content.iter().filter(|block| block["type"].is("tool_result"));
                results.map(tool_ended).for_each(emit);
                Ok(())
            }
            "result" => {
                emit(AgentEvent::Result(result(line, self.spent)));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The output of a shell command is JSON inside a text.
fn tool_ended(block: &Object<'_>) -> AgentEvent {
    let text = block["content"].text().unwrap_or_default();
    let shell: Object<'_> = serde_json::from_str(&text).unwrap_or_default();
    let (content, exit_code) = match shell["output"].is_present() {
        true => (shell["output"], shell["exitCode"].number().unwrap_or(0.0)),
        false => (block["content"], 0.0),
    };
    let text = user::text(content).text().unwrap_or_default();
    let words = user::failure_text(&text);
    AgentEvent::ToolEnded {
        id: block["tool_use_id"].string().unwrap_or_default(),
        outcome: ToolOutcome::failed_if(block["is_error"].flag() == Some(true) || exit_code != 0.0),
        summary: match exit_code {
            0.0 => words,
            code => format!("Exit code {code}: {words}"),
        },
        output: ToolOutput::of(&text),
    }
}

/// A result line has neither cost nor tokens, and the exit code is 0 even if the model could not be reached.
fn result(line: &Object<'_>, tokens: TokenCount) -> AgentResult {
    let ending = ending(line);
    let text = match ending {
        Ending::Completed => line["result"].string().unwrap_or_default(),
        _ => String::new(),
    };
    AgentResult {
        tokens,
        turns: line["num_turns"].whole(),
        duration: line["duration_ms"].whole().map(Duration::from_millis),
        session_id: line["session_id"].string(),
        ..AgentResult::of(ending, text)
    }
}

/// A result without a success flag counts as failed.
fn ending(line: &Object<'_>) -> Ending {
    let reason = line["subtype"].string().unwrap_or_default();
    if line["is_error"].flag() == Some(false) && reason == "success" {
        return Ending::Completed;
    }
    let message = line["error"].string().unwrap_or_default();
    match http_status::find_in(&message) {
        Some(status) => Ending::ApiError { status: Some(status), message },
        None => Ending::Other { reason, message },
    }
}
