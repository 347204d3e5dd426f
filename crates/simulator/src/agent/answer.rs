//! The final answer, and the tool with which a session that was given a JSON schema gives it.
//!
//! As in Claude Code: hooks before the tool may deny it, then the session goes on; once it was taken
//! the session is over, and a Stop hook that blocks is not heeded. Too many that were not taken end
//! the session as failed. Who ends with words instead is reminded once. Whether an answer has the
//! form of the schema is not looked at.

use serde_json::{Value, json};

use super::ending::Ending;
use super::hook_run::HookAnswer;
use super::said::Said;
use super::session::{Halt, Session};
use super::tool::{ToolOutcome, ToolUse};

const TOOL: &str = "StructuredOutput";

/// After how many answers that were not taken Claude Code ends the session.
const DEFAULT_LIMIT: u64 = 5;

const REMINDER: &str = "[structured-output-enforce] You MUST call the StructuredOutput tool to \
                        complete this request. Call this tool now.";

/// What the agent leaves the session with.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    Text(String),
    Structured(Value),
    Empty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Given {
    Taken,
    Denied,
}

/// What became of structured answers so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Answers {
    denied: u64,
    reminder: Reminder,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Reminder {
    #[default]
    Due,
    Given,
}

/// Whether the agent has to speak once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reminded {
    Now,
    No,
}

impl Session {
    pub(super) fn give(&mut self, answer: &Value) -> Result<Given, Halt> {
        let tool = ToolUse::new(TOOL, answer.clone());
        self.say(&Said::ToolUse(&tool))?;
        self.check_budget()?;
        let input = json!({"tool_name": TOOL, "tool_input": tool.input, "tool_use_id": tool.id});
        let hooks = self.fire("PreToolUse", TOOL, input.clone())?;
        self.tool_used();
        if let Some(reason) = hooks.iter().find_map(HookAnswer::denial) {
            return self.denied(&tool, &reason);
        }
        let content = "Structured output provided successfully".to_owned();
        let response = json!(content);
        let mut after = input;
        after["tool_response"] = response.clone();
        self.fire("PostToolUse", TOOL, after)?;
        self.say(&Said::ToolResult(&tool, &ToolOutcome::Done { content, response }))?;
        Ok(Given::Taken)
    }

    fn denied(&mut self, tool: &ToolUse, reason: &str) -> Result<Given, Halt> {
        let message = format!("PreToolUse:{TOOL} hook error: {reason}");
        let outcome = ToolOutcome::Denied { message: message.clone() };
        self.say(&Said::ToolResult(tool, &outcome))?;
        self.answers.denied += 1;
        let limit = project::env::variable(project::env::MAX_STRUCTURED_OUTPUT_RETRIES);
        let limit = limit.and_then(|limit| limit.parse().ok()).unwrap_or(DEFAULT_LIMIT);
        let answers = self.answers.denied;
        if answers >= limit {
            return Err(Halt::Ended(Ending::AnswersUsedUp { answers, last_error: message }));
        }
        Ok(Given::Denied)
    }

    /// Once, to a session that should have given a structured answer.
    pub(super) fn remind(&mut self) -> Result<Reminded, Halt> {
        if !self.args.wants_structure() || self.answers.reminder == Reminder::Given {
            return Ok(Reminded::No);
        }
        self.answers.reminder = Reminder::Given;
        self.say(&Said::Synthetic(REMINDER))?;
        Ok(Reminded::Now)
    }
}
