//! A recorded request to the model, and its texts.
//!
//! The conversation is `messages` in Claude Code and `input` in Codex.

use serde_json::Value;

/// One `POST /v1/messages` or `/v1/responses` of the main thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    body: Value,
}

impl Request {
    pub(super) fn new(body: Value) -> Self {
        Self { body }
    }

    /// The requested model.
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// The names of the offered tools.
    pub fn tools(&self) -> Vec<&str> {
        let tools = self.body["tools"].as_array().into_iter().flatten();
        tools.filter_map(|tool| tool["name"].as_str()).collect()
    }

    /// Claude Code's system prompt, in several texts. Codex has none.
    pub fn system_texts(&self) -> Vec<&str> {
        let mut texts = Vec::new();
        collect_texts(&self.body["system"], &mut texts);
        texts
    }

    /// Every text in the request: the system prompt, then the messages of both sides.
    pub fn texts(&self) -> Vec<&str> {
        let mut texts = self.system_texts();
        for message in self.messages() {
            collect_texts(&message["content"], &mut texts);
            collect_texts(&message["output"], &mut texts);
        }
        texts
    }

    /// Every text for the model in the conversation: prompts, tool results, hook feedback and
    /// system reminders. Excludes the model's own text and the system prompt.
    pub fn user_texts(&self) -> Vec<&str> {
        let mut texts = Vec::new();
        for message in self.messages() {
            // Claude Code also sends messages with the role `system` in mid-conversation. Codex has
            // its system prompt in messages of the role `developer`.
            if message["role"] != "assistant" && message["role"] != "developer" {
                collect_texts(&message["content"], &mut texts);
                collect_texts(&message["output"], &mut texts);
            }
        }
        texts
    }

    /// How often `needle` occurs in the text for the model.
    pub fn mentions(&self, needle: &str) -> usize {
        let texts = self.user_texts();
        texts.iter().map(|text| text.matches(needle).count()).sum()
    }

    /// Side calls, such as the one for a title, offer no tools. Subagents and compaction do, so
    /// they use turns of the script.
    pub(super) fn is_side_call(&self) -> bool {
        let tools = self.body["tools"].as_array();
        tools.is_none_or(Vec::is_empty)
    }

    pub(super) fn wants_stream(&self) -> bool {
        self.body["stream"] == true
    }

    fn messages(&self) -> impl Iterator<Item = &Value> {
        ["messages", "input"].iter().filter_map(|name| self.body[name].as_array()).flatten()
    }
}

/// Content is a string, or a list of blocks that hold `text` or, as a tool result, more content.
fn collect_texts<'a>(content: &'a Value, texts: &mut Vec<&'a str>) {
    match content {
        Value::String(text) => texts.push(text),
        Value::Array(blocks) => {
            for block in blocks {
                if let Some(text) = block["text"].as_str() {
                    texts.push(text);
                }
                collect_texts(&block["content"], texts);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request() -> Request {
        Request::new(json!({
            "model": "claude-test",
            "system": [{ "type": "text", "text": "You are helpful." }],
            "messages": [
                { "role": "user", "content": "Go on." },
                { "role": "assistant", "content": [
                    { "type": "text", "text": "Go on? Gladly." },
                    { "type": "tool_use", "id": "t", "name": "Bash", "input": {} }
                ]},
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "t", "content": "as a string" },
                    { "type": "tool_result", "tool_use_id": "u", "content": [
                        { "type": "text", "text": "as a block" }
                    ]},
                    { "type": "text", "text": "Stop hook feedback:\nGo on. Go on." }
                ]},
                { "role": "system", "content": "a reminder" }
            ]
        }))
    }

    #[test]
    fn user_texts_exclude_the_models_own_text() {
        assert_eq!(
            request().user_texts(),
            [
                "Go on.",
                "as a string",
                "as a block",
                "Stop hook feedback:\nGo on. Go on.",
                "a reminder"
            ]
        );
        assert_eq!(request().mentions("Go on."), 3);
    }

    #[test]
    fn all_texts_begin_with_the_system_prompt() {
        let request = request();
        let texts = request.texts();
        assert_eq!(texts[..2], ["You are helpful.", "Go on."]);
        assert_eq!(request.system_texts(), texts[..1]);
        assert!(texts.contains(&"Go on? Gladly."));
    }

    #[test]
    fn a_request_of_codex_is_read() {
        let message = |role: &str, kind: &str, text: &str| json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] });
        let request = Request::new(json!({ "input": [
            message("developer", "input_text", "You are helpful."),
            message("user", "input_text", "Go on."),
            message("assistant", "output_text", "Gladly."),
            { "type": "function_call", "call_id": "c", "name": "exec_command", "arguments": "{}" },
            { "type": "function_call_output", "call_id": "c", "output": "the command's output" }
        ]}));
        assert_eq!(request.user_texts(), ["Go on.", "the command's output"]);
        assert_eq!(
            request.texts(),
            ["You are helpful.", "Go on.", "Gladly.", "the command's output"]
        );
    }

    #[test]
    fn a_request_without_tools_is_a_side_call() {
        let tools = |tools: Value| Request::new(json!({ "tools": tools })).is_side_call();
        assert!(Request::new(json!({})).is_side_call());
        assert!(tools(json!([])));
        assert!(!tools(json!([{ "name": "Bash" }])));
    }
}
