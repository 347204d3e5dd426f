//! The turns of the scripted model.
//!
//! A script can be a JSON file. Every field of a turn is optional; an unknown field is an error:
//!
//! ```json
//! {
//!   "turns": [
//!     {
//!       "text": "Working.",
//!       "tools": [{ "name": "Bash", "input": { "command": "true" } }],
//!       "context_tokens": 150000
//!     },
//!     { "text": "Finished." }
//!   ],
//!   "afterwards": { "text": "Nothing is left to say." }
//! }
//! ```
//!
//! `model::messages` (Claude Code) and `model::responses` (Codex) define the format on the wire.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Context tokens of a turn, unless it says otherwise.
pub(crate) const DEFAULT_CONTEXT_TOKENS: u64 = 1_700;

/// The turns of the model in order, and the answer after the last one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// One turn for each request of the main thread. Turns for another session are skipped.
    #[serde(default)]
    pub turns: Vec<Turn>,
    /// The answer to every later request. It must not call a tool, or the session never ends.
    #[serde(default = "default_afterwards")]
    pub afterwards: Turn,
}

impl Script {
    /// A script of these turns that ends with a plain text.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self { turns: turns.into_iter().collect(), afterwards: default_afterwards() }
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
        self.turns.extend(turns.into_iter().map(|turn| turn.only_if_prompt_contains(prompt)));
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

fn default_afterwards() -> Turn {
    Turn::text("Nothing is left to say.")
}

/// One answer of the model: some text, then any number of tool calls.
///
/// The agent continues after an answer with a tool call and tries to stop after one without. A turn
/// with neither is an empty answer, which real models give sometimes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The text before the tool calls, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The tool calls, which the agent may run in parallel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolCall>,
    /// The context that the answer reports as used: all input tokens, cached ones included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// An error instead of an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Refusal>,
    /// Text that the prompt must contain to get this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_if_prompt_contains: Option<String>,
}

/// An HTTP error answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The account is used up until this time (Unix seconds), in the format of Codex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<u64>,
}

/// A tool call of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
        Self::default().and_bash(command)
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

    /// One more shell command in the same turn.
    #[must_use]
    pub fn and_bash(self, command: impl Into<String>) -> Self {
        self.and_tool(
            "Bash",
            json!({ "command": command.into(), "description": "A scripted command" }),
        )
    }

    /// The text before the tool calls.
    #[must_use]
    pub fn with_lead_in(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Uses the turn only for sessions whose prompt contains this text.
    #[must_use]
    pub fn only_if_prompt_contains(mut self, words: impl Into<String>) -> Self {
        self.only_if_prompt_contains = Some(words.into());
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

    #[test]
    fn a_script_survives_a_json_round_trip() {
        let script = Script::new([
            Turn::bash("true").and_tool("Read", json!({ "file_path": "a" })),
            Turn::bash_in_background("sleep 3").with_lead_in("Meanwhile."),
            Turn::text("Finished.").with_context_tokens(150_000),
            Turn::used_up_until(1_800_000_000).only_if_prompt_contains("mode review"),
        ])
        .afterwards(Turn::default());
        let wire = serde_json::to_string(&script).unwrap();
        assert_eq!(serde_json::from_str::<Script>(&wire).unwrap(), script);
    }

    #[test]
    fn the_documented_json_is_read() {
        let script: Script = serde_json::from_value(json!({
            "turns": [
                {
                    "text": "Working.",
                    "tools": [{ "name": "Bash", "input": { "command": "true" } }],
                    "context_tokens": 150_000
                },
                { "text": "Finished." }
            ]
        }))
        .unwrap();
        let first = Turn::tool("Bash", json!({ "command": "true" }))
            .with_lead_in("Working.")
            .with_context_tokens(150_000);
        assert_eq!(script, Script::new([first, Turn::text("Finished.")]));
    }

    #[test]
    fn a_misspelt_field_is_refused() {
        let error = serde_json::from_value::<Script>(json!({ "turns": [{ "txt": "Hello." }] }))
            .unwrap_err()
            .to_string();
        assert!(error.contains("txt"), "{error}");
    }

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
