//! Every recorded stream, event by event.

use std::time::Duration;

use agents::{Agent, Ending, ProcessExit, TokenCount};

use crate::support::{self, Decoded};

const STARTED: &str = "started None None ";

fn decode(stream: &[u8]) -> Decoded {
    let decoded = support::decode(Agent::Amp, "", stream, ProcessExit::Code(0));
    assert_eq!(decoded.unreadable, 0);
    decoded
}

fn play(name: &str) -> Decoded {
    decode(&support::recorded(Agent::Amp, name))
}

#[test]
fn a_completed_session() {
    let decoded = play("completed");
    let expected = [
        STARTED,
        "context 120",
        "text I will run one command.",
        "start TU-5xItxdVOlWP6xInDrBuU70 shell_command Main echo hello-from-tool",
        "end TU-5xItxdVOlWP6xInDrBuU70 Ok hello-from-tool",
        "context 120",
        "text All finished. <promise>COMPLETE</promise>",
    ];
    assert_eq!(decoded.summaries(), expected, "the prompt is no event");
    let result = decoded.result();
    assert_eq!(result.ending, Ending::Completed);
    assert_eq!(result.text, "All finished. <promise>COMPLETE</promise>");
    assert_eq!(
        result.tokens,
        TokenCount { input: 120, output: 40, cache_read: 80, cache_creation: 0 }
    );
    assert_eq!(result.turns, Some(2));
    assert_eq!(result.duration, Some(Duration::from_millis(193)));
    assert_eq!(result.session_id.as_deref(), Some("T-40bfa8e4-21aa-4c0f-870b-6bf7bbebef6c"));
}

#[test]
fn an_error_of_the_model() {
    let decoded = play("model-error");
    assert_eq!(decoded.summaries(), [STARTED]);
    let message = "stub model error 500".to_owned();
    assert_eq!(decoded.result().ending, Ending::ApiError { status: Some(500), message });
    assert_eq!(decoded.result().text, "");
}

#[test]
fn a_cancelled_session() {
    let ending = Ending::Other {
        reason: "error_during_execution".into(),
        message: "User cancelled (SIGINT/SIGTERM)".into(),
    };
    assert_eq!(play("cancelled").result().ending, ending);
}

fn answered(content: &str, rest: &str) -> String {
    let content = serde_json::json!(content);
    let line = format!(
        r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t","content":{content}{rest}}}]}}}}"#
    );
    decode(line.as_bytes()).summaries().join("; ")
}

#[test]
fn tool_results() {
    assert_eq!(answered(r#"{"output":"bad\n","exitCode":2}"#, ""), "end t Failed Exit code 2: bad");
    assert_eq!(answered(r#"{"output":"fine\n","exitCode":0}"#, ""), "end t Ok fine");
    assert_eq!(answered(r#"{"files":[]}"#, r#","is_error":false"#), r#"end t Ok {"files":[]}"#);
    assert_eq!(answered("no such file", r#","is_error":true"#), "end t Failed no such file");
}

#[test]
fn a_subagent_counts_tokens_but_emits_no_text() {
    let stream = br#"{"type":"assistant","message":{"content":[{"type":"text","text":"<promise>COMPLETE</promise>"}],"usage":{"input_tokens":7,"output_tokens":1}},"parent_tool_use_id":"t"}
{"type":"result","subtype":"success","is_error":false,"result":"no"}"#;
    let decoded = decode(stream);
    assert!(decoded.summaries().is_empty());
    assert_eq!(decoded.result().tokens.total(), 8);
    assert_eq!(decoded.result().text, "no");
}
