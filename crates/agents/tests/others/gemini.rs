//! Gemini CLI, event by event.

use std::time::Duration;

use agents::{Agent, AgentEvent, AgentResult, Ending, ProcessExit, TokenCount};

use crate::{DONE, claims_completion};

fn play(name: &str, exit: i32) -> crate::Decoded {
    crate::play(Agent::Gemini, name, ProcessExit::Code(exit))
}

fn decode(stream: &str, exit: i32) -> crate::Decoded {
    crate::decode(Agent::Gemini, stream, ProcessExit::Code(exit))
}

#[test]
fn a_completed_session() {
    let decoded = play("completed", 0);
    let id = "run_shell_command__run_shell_command_1794705507585_0";
    let expected = [
        "started (\"auto\") None ",
        "text I will run one command.",
        &format!("start {id} run_shell_command Main echo hello-from-tool"),
        &format!("end {id} Ok hello-from-tool"),
        &format!("text {DONE}"),
    ];
    assert_eq!(decoded.summaries(), expected, "the prompt is not repeated");
    let expected = AgentResult {
        ending: Ending::Completed,
        text: DONE.into(),
        cost_usd: None,
        tokens: TokenCount { input: 180, output: 60, cache_read: 120, cache_creation: 0 },
        turns: None,
        duration: Some(Duration::from_millis(358)),
        context_window: None,
        model: Some("stub".into()),
        session_id: Some("27939aa2-95b9-4de4-ad31-b4735f03eb64".into()),
        structured: None,
    };
    assert_eq!(decoded.result(), &expected);
    assert!(claims_completion(&decoded));
}

#[test]
fn errors_of_the_api() {
    let cases =
        [("unauthorized", 145, 401), ("too-many-requests", 173, 429), ("server-error", 244, 500)];
    for (name, exit, expected) in cases {
        let decoded = play(name, exit);
        let Ending::ApiError { status, message } = &decoded.result().ending else {
            panic!("{:?}", decoded.result().ending);
        };
        assert_eq!(*status, Some(expected));
        assert!(message.starts_with("[API Error: "), "{message}");
        assert_eq!(decoded.result().text, "");
        let model = if name == "unauthorized" { "auto" } else { "gemini-2.5-flash" };
        assert_eq!(decoded.result().model.as_deref(), Some(model), "no model did anything");
        assert_eq!(decoded.summaries().len(), 1, "the error is not the agent's text");
    }
}

#[test]
fn the_exit_code_gives_a_status_only_if_the_line_does_not() {
    let results = |name, exit| {
        let decoded = play(name, exit);
        decoded.events.iter().filter(|event| matches!(event, AgentEvent::Result(_))).count()
    };
    assert_eq!(results("too-many-requests", 173), 2);
    assert_eq!(results("too-many-requests", 1), 1);
    assert_eq!(results("unauthorized", 173), 1);
    assert_eq!(results("completed", 173), 1);
    let status = |exit| match &play("unauthorized", exit).result().ending {
        Ending::ApiError { status, .. } => *status,
        other => panic!("{other:?}"),
    };
    assert_eq!(status(173), Some(401));
}

#[test]
fn a_session_that_never_came_to_work() {
    let ending = |exit| decode("", exit).result().ending.clone();
    assert!(matches!(ending(41), Ending::ApiError { status: Some(401), .. }));
    let Ending::Other { reason, message } = ending(55) else { panic!("{:?}", ending(55)) };
    assert_eq!(reason, "untrusted folder");
    assert!(message.contains("does not trust this folder"), "{message}");
    for exit in [0, 1, 130, 145, 173] {
        assert!(decode("", exit).last_result().is_none(), "{exit}");
    }
    assert_eq!(play("completed", 41).result().ending, Ending::Completed);
}

#[test]
fn an_interrupted_session_has_no_result() {
    let stream = r#"{"type":"message","role":"assistant","content":"half a ","delta":true}
{"type":"message","role":"assistant","content":"sentence","delta":true}"#;
    let decoded = decode(stream, 0);
    assert_eq!(decoded.summaries(), ["text half a sentence"]);
    assert!(decoded.last_result().is_none());
}

#[test]
fn whole_messages_stay_apart() {
    let stream = r#"{"type":"message","role":"assistant","content":"one","delta":true}
{"type":"message","role":"assistant","content":"two"}
{"type":"message","role":"assistant","content":"three"}
{"type":"result","status":"success"}"#;
    let decoded = decode(stream, 0);
    assert_eq!(decoded.summaries(), ["text one", "text two", "text three"]);
    assert_eq!(decoded.result().text, "three");
}

#[test]
fn text_before_a_tool_call_is_not_the_final_message() {
    let stream = r#"{"type":"message","role":"assistant","content":"<promise>COMPLETE</promise>","delta":true}
{"type":"tool_use","tool_name":"read_file","tool_id":"t","parameters":{"absolute_path":"/a"}}
{"type":"tool_result","tool_id":"t","status":"error","error":{"type":"x","message":"no such file"}}
{"type":"result","status":"success"}"#;
    let decoded = decode(stream, 0);
    assert_eq!(
        decoded.summaries()[1..],
        ["start t read_file Main /a", "end t Failed no such file"]
    );
    assert_eq!(decoded.result().text, "");
    assert!(!claims_completion(&decoded));
}

#[test]
fn other_errors_and_warnings() {
    let stream = r#"{"type":"error","severity":"warning","message":"Loop detected\nx"}
{"type":"error","severity":7}
{"type":"result","status":"error","error":{"type":"MaxTurns","message":"too many"}}"#;
    let decoded = decode(stream, 53);
    assert_eq!(decoded.summaries(), ["notice Loop detected"]);
    let ending = Ending::Other { reason: "MaxTurns".into(), message: "too many".into() };
    assert_eq!(decoded.result().ending, ending);
    let unauthorized = Ending::ApiError { status: Some(401), message: "too many".into() };
    assert_eq!(decode(stream, 41).result().ending, unauthorized);
    assert!(matches!(decode(r#"{"type":"result"}"#, 0).result().ending, Ending::Other { .. }));
}

#[test]
fn the_uncached_input_if_it_is_missing() {
    let stream = r#"{"type":"result","status":"success","stats":{"input_tokens":10,"cached":4,"output_tokens":2}}"#;
    let tokens = TokenCount { input: 6, output: 2, cache_read: 4, cache_creation: 0 };
    assert_eq!(decode(stream, 0).result().tokens, tokens);
}
