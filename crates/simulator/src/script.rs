//! The turns of the scripted model.
//!
//! `model::messages` (Claude Code) and `model::responses` (Codex) define the format on the wire.

use serde_json::{Value, json};

/// Context tokens of a turn, unless it says otherwise.
pub(crate) const DEFAULT_CONTEXT_TOKENS: u64 = 1_700;

/// The turns of the model in order, and the answer after the last one.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// One turn for each request of the main thread. Turns for another session are skipped.
    pub turns: Vec<Turn>,
    /// The answer to every later request. It must not call a tool, or the session never ends.
    pub afterwards: Turn,
}

impl Script {
    /// A script of these turns that ends with a plain text.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        let afterwards = Turn::text("Nothing is left to say.");
        Self { turns: turns.into_iter().collect(), afterwards }
    }

    /// Replaces the answer after the last turn.
    #[must_use]
    pub fn afterwards(mut self, turn: Turn) -> Self {
        self.afterwards = turn;
        self
    }

    /// Adds turns for sessions whose prompt contains this text.
    #[must_use]
    pub fn session(mut self, prompt: &str, turns: impl IntoIterator<Item = Turn>) -> Self {
        let only_if_prompt_contains = Some(prompt.to_owned());
        let turns = turns.into_iter();
        self.turns.extend(
            turns.map(|turn| Turn {
                only_if_prompt_contains: only_if_prompt_contains.clone(),
                ..turn
            }),
        );
        self
    }

    /// The answer to the next request.
    pub(crate) fn take_turn(&mut self, prompt_contains: impl Fn(&str) -> bool) -> Turn {
        let due =
            |turn: &Turn| turn.only_if_prompt_contains.as_deref().is_none_or(&prompt_contains);
        match self.turns.iter().position(due) {
            Some(index) => self.turns.remove(index),
            None => self.afterwards.clone(),
        }
    }
}

/// One answer of the model: some text, then any number of tool calls.
///
/// The agent continues after an answer with a tool call and tries to stop after one without. A turn
/// with neither is an empty answer, which real models give sometimes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// The text before the tool calls, if any.
    pub text: Option<String>,
    /// The tool calls, which the agent may run in parallel.
    pub tools: Vec<ToolCall>,
    /// The context that the answer reports as used: all input tokens, cached ones included.
    pub context_tokens: Option<u64>,
    /// An error instead of an answer.
    pub refused: Option<Refusal>,
    /// Text that the prompt must contain to get this turn.
    pub only_if_prompt_contains: Option<String>,
}

/// An HTTP error answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The account is used up until this time (Unix seconds), in the format of Codex.
    pub resets_at: Option<u64>,
}

/// A tool call of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The tool name of the agent, such as `Read`; `Bash` is a shell command for every agent.
    pub name: String,
    /// The input of the tool.
    pub input: Value,
}

impl Turn {
    /// An answer without a tool call: the agent tries to stop.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// An error with this HTTP status.
    pub fn refused(status: u16) -> Self {
        Self { refused: Some(Refusal { status, resets_at: None }), ..Self::default() }
    }

    /// An error: the account is used up until this time (Unix seconds).
    pub fn used_up_until(resets_at: u64) -> Self {
        let refusal = Refusal { status: 429, resets_at: Some(resets_at) };
        Self { refused: Some(refusal), ..Self::default() }
    }

    /// A call of any tool.
    pub fn tool(name: impl Into<String>, input: Value) -> Self {
        Self::default().and_tool(name, input)
    }

    /// A shell command that the agent waits for.
    pub fn bash(command: impl Into<String>) -> Self {
        let command = command.into();
        Self::tool("Bash", json!({ "command": command, "description": "A scripted command" }))
    }

    /// A shell command that runs in the background in Claude Code; Codex waits for it.
    pub fn bash_in_background(command: impl Into<String>) -> Self {
        Self::tool(
            "Bash",
            json!({
                "command": command.into(),
                "description": "A scripted command in the background",
                "run_in_background": true,
            }),
        )
    }

    /// One more tool call in the same turn.
    #[must_use]
    pub fn and_tool(mut self, name: impl Into<String>, input: Value) -> Self {
        let name = name.into();
        self.tools.push(ToolCall { name, input });
        self
    }

    /// The text before the tool calls.
    #[must_use]
    pub fn with_lead_in(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// The context that the answer reports as used: all input tokens, cached ones included.
    #[must_use]
    pub fn with_context_tokens(mut self, tokens: u64) -> Self {
        self.context_tokens = Some(tokens);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next_text(script: &mut Script, prompt: &str) -> String {
        script.take_turn(|words| prompt.contains(words)).text.unwrap()
    }

    #[test]
    fn the_last_answer_repeats() {
        let mut script = Script::new([Turn::text("one")]).afterwards(Turn::text("over"));
        let texts: Vec<_> = (0..3).map(|_| next_text(&mut script, "Go on.")).collect();
        assert_eq!(texts, ["one", "over", "over"]);
    }

    #[test]
    fn a_session_gets_its_own_turns_in_any_order() {
        let mut script = Script::new([])
            .session("implement", [Turn::text("building"), Turn::text("built")])
            .session("review", [Turn::text("approved")])
            .afterwards(Turn::text("over"));
        let prompts = ["review it", "implement it", "review it", "implement it", "implement it"];
        let texts = prompts.map(|prompt| next_text(&mut script, prompt));
        assert_eq!(texts, ["approved", "building", "over", "built", "over"]);
    }
}
