//! Cline, event by event.

use std::time::Duration;

use agents::{Agent, AgentResult, Ending, ProcessExit, TokenCount};

use crate::{DONE, claims_completion};

fn play(name: &str, exit: i32) -> crate::Decoded {
    crate::play(Agent::Cline, name, ProcessExit::Code(exit))
}

fn decode(stream: &str) -> crate::Decoded {
    crate::decode(Agent::Cline, stream, ProcessExit::Code(0))
}

fn event(event: &str) -> String {
    format!("{{\"ts\":\"t\",\"type\":\"agent_event\",\"event\":{{{event}}}}}\n")
}

fn ending(before: &str, result: &str) -> Ending {
    decode(&format!("{before}{{\"type\":\"run_result\",{result}}}")).result().ending.clone()
}

#[test]
fn a_completed_session() {
    let decoded = play("completed", 0);
    let expected = [
        "started None None ",
        "context 120",
        "text I will run one command.",
        "start call_1 run_commands Main echo hello-from-tool",
        "end call_1 Ok hello-from-tool",
        "context 120",
        &format!("text {DONE}"),
    ];
    assert_eq!(decoded.summaries(), expected);
    let expected = AgentResult {
        ending: Ending::Completed,
        text: DONE.into(),
        cost_usd: Some(0.0),
        tokens: TokenCount { input: 120, output: 40, cache_read: 80, cache_creation: 0 },
        turns: Some(2),
        duration: Some(Duration::from_millis(490)),
        context_window: None,
        model: Some("stub-model".into()),
        session_id: Some("conv_1794703787683_cb4n0pm".into()),
        structured: None,
    };
    assert_eq!(decoded.result(), &expected);
    assert!(claims_completion(&decoded));
}

#[test]
fn a_tool_without_approval() {
    let decoded = play("approval-missing", 0);
    assert_eq!(
        decoded.summaries()[4],
        "end call_1 Failed Tool approval requires an interactive session, but this session is \
         non-interactive. -- NOT a tool or system failure. Clarify with user before proceeding."
    );
    assert_eq!(decoded.result().text, DONE);
}

#[test]
fn a_tool_submission_is_not_the_final_message() {
    let decoded = play("submitted", 0);
    assert_eq!(decoded.result().ending, Ending::Completed);
    assert_eq!(decoded.result().text, "");
}

#[test]
fn errors_of_the_api() {
    let cases = [
        ("unauthorized", Some(401), "stub bad key"),
        ("too-many-requests", None, "stub rate limit"),
        ("server-error", None, "stub internal error"),
    ];
    for (name, status, message) in cases {
        let decoded = play(name, 1);
        assert_eq!(
            decoded.summaries(),
            ["started None None "],
            "the error is not the agent's text"
        );
        assert_eq!(decoded.result().ending, Ending::ApiError { status, message: message.into() });
        assert_eq!(decoded.result().text, "");
    }
}

#[test]
fn a_status_in_the_message_text() {
    let message = "529 overloaded";
    assert_eq!(
        ending("", &format!(r#""finishReason":"error","text":"{message}""#)),
        Ending::ApiError { status: Some(529), message: message.into() }
    );
}

#[test]
fn any_other_reason_to_finish_is_a_failure() {
    assert_eq!(ending("", r#""finishReason":"max_iterations""#), Ending::TurnLimit);
    assert_eq!(
        ending("", r#""finishReason":"mistake_limit","text":"three times""#),
        Ending::Other { reason: "mistake_limit".into(), message: "three times".into() }
    );
    assert!(matches!(ending("", r#""text":"ok""#), Ending::Other { .. }));
    assert!(matches!(ending("", r#""finishReason":7"#), Ending::Other { .. }));
}

#[test]
fn an_error_that_it_recovers_from_is_a_notice() {
    let error = event(
        r#""type":"error","error":{"message":"slow\ndown"},"errorClass":"auth","recoverable":true"#,
    );
    let decoded = decode(&format!("{error}{{\"type\":\"run_result\",\"finishReason\":\"error\"}}"));
    assert_eq!(decoded.summaries(), ["notice slow"]);
    assert!(matches!(decoded.result().ending, Ending::ApiError { status: None, .. }));
}

#[test]
fn nothing_but_the_terminal_line_ends_a_session() {
    let done = event(r#""type":"done","reason":"completed","text":"x""#);
    let piece = event(r#""type":"content_start","contentType":"text","text":"half""#);
    let decoded = decode(&format!("{done}{piece}"));
    assert_eq!(decoded.summaries(), ["text half"]);
    assert!(decoded.last_result().is_none());
}

#[test]
fn text_before_another_iteration_is_not_the_final_message() {
    let text =
        event(r#""type":"content_end","contentType":"text","text":"<promise>COMPLETE</promise>""#);
    let next = event(r#""type":"iteration_start","iteration":2"#);
    let end = r#"{"type":"run_result","finishReason":"completed"}"#;
    assert!(claims_completion(&decode(&format!("{next}{text}{end}"))));
    assert!(!claims_completion(&decode(&format!("{text}{next}{end}"))));
}

#[test]
fn thoughts_are_not_text() {
    let thought = event(r#""type":"content_end","contentType":"reasoning","text":"hm""#);
    assert!(decode(&thought).events.is_empty());
}

#[test]
fn subagents_start_no_session() {
    let start =
        r#"{"type":"hook_event","hookEventName":"agent_start","taskId":"c","parentAgentId":"a"}"#;
    assert!(decode(start).events.is_empty());
}

#[test]
fn commands_of_one_call_answer_together() {
    let ended = event(
        r#""type":"content_end","contentType":"tool","toolCallId":"c","output":[{"result":"one","success":true},{"result":"","error":"no such file","success":false}]"#,
    );
    let decoded = decode(&ended);
    assert_eq!(decoded.summaries(), ["end c Failed one"]);
    let text = event(r#""type":"content_end","contentType":"tool","toolCallId":"c","output":"hi""#);
    assert_eq!(decode(&text).summaries(), ["end c Ok hi"]);
}
