//! Decodes JSON lines with the user's filters. The exit code decides the result.

use super::Filters;
use super::bounds::on_own_stack;
use super::filter_output::{FilterOutput, ToolCall};
use crate::decode::Emit;
use crate::message_buffer::MessageBuffer;
use crate::raw::lossy;
use crate::{
    AgentEvent, AgentResult, Decode, Ending, LineKind, ProcessExit, Thread, ToolOutcome, ToolOutput,
};

/// Longer lines are ignored: they contain tool output, and a filter would copy it.
const LONGEST_LINE: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct Decoder {
    filters: Filters,
    messages: MessageBuffer,
    /// The last output of `result`, if nothing followed it.
    answer: Option<String>,
    cost_usd: Option<f64>,
    tools: u64,
}

impl Decoder {
    pub(super) fn new(filters: Filters) -> Self {
        Self { filters, messages: MessageBuffer::default(), answer: None, cost_usd: None, tools: 0 }
    }

    fn tool(&mut self, ToolCall { name, summary }: ToolCall, emit: Emit<'_>) {
        self.messages.tool_call_follows(emit);
        self.answer = None;
        self.tools += 1;
        let id = self.tools.to_string();
        let thread = Thread::Main;
        emit(AgentEvent::ToolStarted { id: id.clone(), name, summary, thread });
        // The line does not contain the tool's result.
        let (outcome, output) = (ToolOutcome::Ok, ToolOutput::default());
        emit(AgentEvent::ToolEnded { id, outcome, summary: String::new(), output });
    }

    fn final_message(&self) -> Option<&str> {
        match self.filters.result {
            Some(_) => self.answer.as_deref(),
            None => Some(self.messages.final_message()),
        }
    }
}

impl Decode for Decoder {
    fn line(&mut self, bytes: &[u8], emit: Emit<'_>) -> LineKind {
        if bytes.trim_ascii().is_empty() || bytes.len() > LONGEST_LINE {
            return LineKind::Stream;
        }
        let line = lossy(bytes);
        let output = on_own_stack(|| FilterOutput::of(&line, &self.filters)).flatten();
        let Some(output) = output else { return LineKind::Noise };
        for text in output.texts {
            self.answer = None;
            self.messages.whole(&text, emit);
        }
        for tool in output.tools {
            self.tool(tool, emit);
        }
        if let Some(cost) = output.cost_usd {
            self.cost_usd = Some(self.cost_usd.unwrap_or_default() + cost);
        }
        self.answer = output.result.or(self.answer.take());
        LineKind::Stream
    }

    fn ended(&mut self, exit: ProcessExit, emit: Emit<'_>) {
        let ProcessExit::Code(code) = exit else { return };
        let (ending, text) = match (code, self.final_message()) {
            (0, Some(message)) => (Ending::Completed, message.to_owned()),
            // As with other agents, a session without a final message was interrupted.
            (0, None) => return,
            (code, _) => {
                let (reason, message) = (format!("exit code {code}"), String::new());
                (Ending::Other { reason, message }, String::new())
            }
        };
        let cost_usd = self.cost_usd;
        emit(AgentEvent::Result(AgentResult { cost_usd, ..AgentResult::of(ending, text) }));
    }
}

#[cfg(test)]
mod tests {
    use super::super::Filter;
    use super::*;

    const AMP: &str = include_str!("../../tests/streams/amp/completed.jsonl");
    const OPENCODE: &str = include_str!("../../tests/streams/opencode/completed.jsonl");

    fn filters(codes: [&str; 4]) -> Filters {
        let [text, result, tool, cost_usd] = codes.map(|code| {
            (!code.is_empty())
                .then(|| Filter::compile(code).unwrap_or_else(|e| panic!("{code}: {e}")))
        });
        Filters { text, result, tool, cost_usd }
    }

    fn decoded(codes: [&str; 4], stream: &str, exit: i32) -> (Vec<String>, Option<AgentResult>) {
        let mut decoder = Decoder::new(filters(codes));
        let (mut emitted, mut result) = (Vec::new(), None);
        let mut emit = |event| match event {
            AgentEvent::Text { text } => emitted.push(text),
            AgentEvent::ToolStarted { name, summary, .. } => {
                emitted.push(format!("{name}: {summary}"))
            }
            AgentEvent::Result(last) => result = Some(last),
            _ => {}
        };
        for line in stream.lines() {
            assert_eq!(decoder.line(line.as_bytes(), &mut emit), LineKind::Stream, "{line}");
        }
        decoder.ended(ProcessExit::Code(exit), &mut emit);
        (emitted, result)
    }

    const DONE: &str = "All finished. <promise>COMPLETE</promise>";

    #[test]
    fn a_recorded_stream_with_a_result_line() {
        let codes = [
            r#"select(.type == "assistant") | .message.content[] | select(.type == "text") | .text"#,
            r#"select(.type == "result" and .is_error == false) | .result"#,
            r#"select(.type == "assistant") | .message.content[] | select(.type == "tool_use")
               | {name, summary: .input.command}"#,
            "",
        ];
        let (emitted, result) = decoded(codes, AMP, 0);
        assert_eq!(
            emitted,
            ["I will run one command.", "shell_command: echo hello-from-tool", DONE]
        );
        let result = result.unwrap();
        assert_eq!((result.ending, result.text.as_str()), (Ending::Completed, DONE));
        assert_eq!(result.cost_usd, None);
        let without_its_end = &AMP[..AMP.find(r#"{"type":"result""#).unwrap()];
        assert_eq!(decoded(codes, without_its_end, 0).1, None);
        let failed = decoded(codes, AMP, 3).1.unwrap();
        assert!(matches!(failed.ending, Ending::Other { .. }) && failed.text.is_empty());
    }

    #[test]
    fn a_recorded_stream_without_one_and_with_costs() {
        let codes = [
            r#"select(.type == "text") | .part.text"#,
            "",
            r#"select(.type == "tool_use") | .part.tool"#,
            r#"select(.type == "step_finish") | .part.cost"#,
        ];
        let (emitted, result) = decoded(codes, OPENCODE, 0);
        assert_eq!(emitted, ["I will run one command.", "bash: ", DONE]);
        let result = result.unwrap();
        assert_eq!(result.text, DONE);
        let costs = OPENCODE.lines().filter(|line| line.contains("step_finish")).count();
        assert!(costs > 1 && result.cost_usd.is_some_and(|cost| cost >= 0.0), "{result:?}");
    }

    #[test]
    fn text_before_more_work_is_no_answer() {
        let codes = [".text", ".result", ".tool", ".cost"];
        let end = |stream: &str| decoded(codes, stream, 0).1.map(|result| result.text);
        assert_eq!(end(r#"{"text":"a","result":"b"}"#), Some("b".into()));
        assert_eq!(end("{\"result\":\"b\"}\n{\"tool\":\"Bash\"}"), None);
        assert_eq!(end("{\"result\":\"b\"}\n{\"text\":\"more\"}"), None);
        assert_eq!(end("{\"result\":\"b\"}\n{\"usage\":1}"), Some("b".into()));
        assert_eq!(end("{\"result\":\"b\"}\n{\"result\":7}"), Some("b".into()));
    }

    #[test]
    fn costs_are_added_and_never_decrease() {
        let cost = |stream: &str| decoded(["", ".r", "", ".cost"], stream, 0).1.unwrap().cost_usd;
        assert_eq!(cost("{\"cost\":0.25}\n{\"cost\":1}\n{\"r\":\"x\"}"), Some(1.25));
        assert_eq!(cost("{\"cost\":1}\n{\"cost\":-5}\n{\"cost\":\"x\"}\n{\"r\":\"x\"}"), Some(1.0));
        assert_eq!(cost("{\"r\":\"x\"}"), None);
    }

    #[test]
    fn invalid_and_too_long_lines() {
        let mut decoder = Decoder::new(filters([".t", "", "", ""]));
        let mut emitted = 0;
        let mut decode = |line: &[u8]| decoder.line(line, &mut |_| emitted += 1);
        assert_eq!(decode(b"npm warn\n"), LineKind::Noise);
        assert_eq!(decode(b" \n"), LineKind::Stream);
        let long = format!("{{\"t\":\"{}\"}}", "x".repeat(LONGEST_LINE));
        assert_eq!(decode(long.as_bytes()), LineKind::Stream);
        assert_eq!(decode("[".repeat(100_000).as_bytes()), LineKind::Noise);
        assert_eq!(decode(br#"{"t":"x"}"#), LineKind::Stream);
        assert_eq!(emitted, 1);
    }
}
