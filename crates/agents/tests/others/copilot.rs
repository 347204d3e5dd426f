//! Copilot CLI, event by event.

use std::time::Duration;

use agents::{Agent, AgentResult, Ending, ProcessExit, TokenCount};

use crate::{DONE, claims_completion};

const STARTED: &str = "started (\"stub-model\") None ";

fn play(name: &str, exit: i32) -> crate::Decoded {
    crate::play(Agent::Copilot, name, ProcessExit::Code(exit))
}

fn decode(stream: &str) -> crate::Decoded {
    crate::decode(Agent::Copilot, stream, ProcessExit::Code(0))
}

fn line(kind: &str, data: &str) -> String {
    format!("{{\"type\":\"{kind}\",\"data\":{{{data}}}}}\n")
}

const RESULT: &str = r#"{"type":"result","sessionId":"s","exitCode":0}"#;

#[test]
fn a_completed_session() {
    let decoded = play("completed", 0);
    let expected = [
        STARTED,
        "text I will run one command.",
        "start call_1 bash Main echo hello-from-tool",
        "end call_1 Ok hello-from-tool",
        &format!("text {DONE}"),
    ];
    assert_eq!(decoded.summaries(), expected, "the prompt is not repeated, nor a message");
    let expected = AgentResult {
        ending: Ending::Completed,
        text: DONE.into(),
        cost_usd: None,
        tokens: TokenCount::default(),
        turns: Some(2),
        duration: Some(Duration::from_millis(422)),
        context_window: None,
        model: Some("stub-model".into()),
        session_id: Some("e18e3fcc-e65a-49e8-8971-077cb61d141d".into()),
        structured: None,
    };
    assert_eq!(decoded.result(), &expected);
    assert!(claims_completion(&decoded));
}

#[test]
fn errors_of_the_api() {
    let cases = [
        ("unauthorized", 401, 2, "Authentication failed with provider"),
        ("too-many-requests", 429, 5, "Failed to get response from the AI model; retried 5 times"),
        ("server-error", 500, 5, "Failed to get response from the AI model; retried 5 times"),
    ];
    for (name, expected, retries, beginning) in cases {
        let decoded = play(name, 1);
        let Ending::ApiError { status, message } = &decoded.result().ending else {
            panic!("{:?}", decoded.result().ending);
        };
        assert_eq!(*status, Some(expected));
        assert!(message.starts_with(beginning), "{message}");
        assert_eq!(decoded.result().text, "");
        assert_eq!(decoded.summaries().len(), 1 + retries, "{:?}", decoded.summaries());
    }
}

#[test]
fn retries_are_emitted_once() {
    let summaries = play("unauthorized", 1).summaries();
    let retry = |attempt| format!("retry {attempt}/0 0ns Some(401) transient_auth_error");
    assert_eq!(summaries, [STARTED, &retry(1), &retry(2)]);
    assert_eq!(play("server-error", 1).summaries()[5], "retry 5/0 0ns Some(500) api_error");
}

#[test]
fn the_exit_code_in_the_result_counts() {
    let ending = |exit: &str| {
        decode(&format!("{{\"type\":\"result\",\"exitCode\":{exit}}}")).result().ending.clone()
    };
    assert_eq!(ending("0"), Ending::Completed);
    assert_eq!(ending("1"), Ending::Other { reason: "exit code 1".into(), message: String::new() });
    for exit in ["null", "\"0\"", "[]"] {
        assert!(matches!(ending(exit), Ending::Other { .. }), "{exit}");
    }
}

#[test]
fn an_error_counts_unless_an_answer_follows() {
    let error = line("session.error", r#""errorType":"quota","message":"used up""#);
    let quota = Ending::ApiError { status: None, message: "used up".into() };
    assert_eq!(decode(&format!("{error}{RESULT}")).result().ending, quota);
    let answer = line("assistant.message", r#""content":"ok""#);
    let overcome = decode(&format!("{error}{answer}{RESULT}"));
    assert_eq!(overcome.result().ending, Ending::Completed);
}

#[test]
fn a_missing_login_without_a_status() {
    let error = line("session.error", r#""errorType":"authentication","message":"who?""#);
    let ending = Ending::ApiError { status: Some(401), message: "who?".into() };
    assert_eq!(decode(&format!("{error}{RESULT}")).result().ending, ending);
}

#[test]
fn an_interrupted_session_has_no_result() {
    let piece = line("assistant.message_delta", r#""deltaContent":"half""#);
    let idle = line("assistant.idle", "");
    let decoded = decode(&format!("{piece}{idle}"));
    assert_eq!(decoded.summaries(), ["text half"]);
    assert!(decoded.last_result().is_none());
}

#[test]
fn text_before_more_work_is_not_the_final_message() {
    let tag = r#""content":"<promise>COMPLETE</promise>""#;
    let asks = line("assistant.message", &format!(r#"{tag},"toolRequests":[{{"name":"x"}}]"#));
    assert!(!claims_completion(&decode(&format!("{asks}{RESULT}"))));
    let says = line("assistant.message", &format!(r#"{tag},"toolRequests":[]"#));
    assert!(claims_completion(&decode(&format!("{says}{RESULT}"))));
    for kind in ["tool.execution_start", "assistant.turn_start"] {
        let after = line(kind, "");
        assert!(!claims_completion(&decode(&format!("{says}{after}{RESULT}"))), "{kind}");
    }
}

#[test]
fn a_subagent_emits_tools_but_no_text() {
    let parent = r#""parentToolCallId":"call_1""#;
    let stream = [
        line("assistant.message", r#""content":"mine""#),
        line("assistant.message_delta", &format!(r#""deltaContent":"x",{parent}"#)),
        line("assistant.message", &format!(r#""content":"<promise>COMPLETE</promise>",{parent}"#)),
        line(
            "tool.execution_start",
            &format!(r#""toolCallId":"t","toolName":"view","arguments":{{"path":"/a"}},{parent}"#),
        ),
        RESULT.to_owned(),
    ]
    .concat();
    let decoded = decode(&stream);
    assert_eq!(decoded.summaries(), ["text mine", "start t view Subagent /a"]);
    assert_eq!(decoded.result().text, "mine");
}

#[test]
fn a_session_starts_once() {
    let tools = line("session.tools_updated", r#""model":"m""#);
    assert_eq!(decode(&tools.repeat(2)).summaries(), ["started (\"m\") None "]);
    let nameless = line("session.tools_updated", "");
    assert_eq!(decode(&nameless.repeat(2)).summaries(), ["started None None "]);
}

#[test]
fn a_command_that_failed() {
    let ended = |data: &str| decode(&line("tool.execution_complete", data)).summaries();
    assert_eq!(
        ended(
            r#""toolCallId":"t","success":true,"shellExecution":{"exitCode":2},"result":{"content":"no"}"#
        ),
        ["end t Failed no"]
    );
    assert_eq!(
        ended(r#""toolCallId":"t","success":false,"error":{"message":"denied"}"#),
        ["end t Failed denied"]
    );
}

#[test]
fn messages_of_the_program_are_notices() {
    let stream = [
        line("session.warning", r#""warningType":"policy","message":"mind\nit""#),
        line("session.info", r#""infoType":"model_retry","message":"again""#),
        line("session.info", r#""infoType":"mcp","message":"no servers""#),
    ]
    .concat();
    assert_eq!(decode(&stream).summaries(), ["notice mind", "notice no servers"]);
}
