//! The final answer, and the tool for a structured answer if the session has a JSON schema.
//!
//! As in Claude Code: PreToolUse hooks may deny the tool, and the session continues. After an
//! accepted answer the session ends; a Stop hook cannot block it. Too many refused answers fail the
//! session. A text answer gets one reminder. The schema is not checked.

use project::env::MAX_STRUCTURED_OUTPUT_RETRIES;
use serde_json::{Value, json};

use super::ending::Ending;
use super::hook_run::HookAnswer;
use super::message::Message;
use super::number_from_env;
use super::session::{Halt, Session};
use super::tool::{ToolOutcome, ToolUse};

const TOOL: &str = "StructuredOutput";

/// Refused answers after which Claude Code ends the session.
const DEFAULT_LIMIT: u64 = 5;

const REMINDER: &str = "[structured-output-enforce] You MUST call the StructuredOutput tool to \
                        complete this request. Call this tool now.";

impl Session {
    /// Whether the hooks accept the answer.
    pub(super) fn give_structured(&mut self, answer: &Value) -> Result<bool, Halt> {
        let tool = ToolUse::new(TOOL, answer.clone());
        self.print(&Message::ToolUse(&tool))?;
        self.check_budget()?;
        let input = json!({"tool_name": TOOL, "tool_input": tool.input, "tool_use_id": tool.id});
        let hooks = self.fire("PreToolUse", TOOL, input.clone())?;
        self.tool_used();
        if let Some(reason) = hooks.iter().find_map(HookAnswer::denial) {
            self.denied(&tool, &reason)?;
            return Ok(false);
        }
        let content = "Structured output provided successfully".to_owned();
        let response = json!(content);
        let mut after = input;
        after["tool_response"] = response.clone();
        self.fire("PostToolUse", TOOL, after)?;
        self.print(&Message::ToolResult(&tool, &ToolOutcome::Done { content, response }))?;
        Ok(true)
    }

    fn denied(&mut self, tool: &ToolUse, reason: &str) -> Result<(), Halt> {
        let message = format!("PreToolUse:{TOOL} hook error: {reason}");
        let outcome = ToolOutcome::Denied(message.clone());
        self.print(&Message::ToolResult(tool, &outcome))?;
        self.answers_denied += 1;
        let answers = self.answers_denied;
        if answers < number_from_env(MAX_STRUCTURED_OUTPUT_RETRIES, DEFAULT_LIMIT) {
            return Ok(());
        }
        Err(Halt::Ended(Ending::AnswersUsedUp { answers, last_error: message }))
    }

    /// Prints the one reminder of a session that expects a structured answer. Returns whether the
    /// agent must answer again.
    pub(super) fn remind(&mut self) -> Result<bool, Halt> {
        if !self.args.structured_answer || self.reminded {
            return Ok(false);
        }
        self.reminded = true;
        self.print(&Message::Synthetic(REMINDER))?;
        Ok(true)
    }
}
