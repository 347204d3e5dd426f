//! OpenCode, event by event.

use agents::{Agent, AgentResult, Ending, ProcessExit, TokenCount};

use crate::support::recorded;
use crate::{DONE, claims_completion};

fn play(name: &str, exit: i32) -> crate::Decoded {
    crate::play(Agent::OpenCode, name, ProcessExit::Code(exit))
}

fn decode(stream: &str) -> crate::Decoded {
    crate::decode(Agent::OpenCode, stream, ProcessExit::Code(0))
}

const STOP: &str = "{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\",\"cost\":0.5}}\n";
const ERROR: &str = "{\"type\":\"error\",\"error\":{\"name\":\"UnknownError\"}}\n";

#[test]
fn a_completed_session() {
    let decoded = play("completed", 0);
    let expected = [
        "started None None ",
        "text I will run one command.",
        "start call_1 bash Main echo hello-from-tool",
        "end call_1 Ok hello-from-tool",
        "context 120",
        &format!("text {DONE}"),
        "context 120",
    ];
    assert_eq!(decoded.summaries(), expected);
    let expected = AgentResult {
        ending: Ending::Completed,
        text: DONE.into(),
        cost_usd: Some(0.0),
        tokens: TokenCount { input: 120, output: 40, cache_read: 80, cache_creation: 0 },
        turns: Some(2),
        duration: None,
        context_window: None,
        model: None,
        session_id: Some("ses_e233dab2cffelY5qJzLu3p9lH9".into()),
        structured: None,
    };
    assert_eq!(decoded.result(), &expected);
    assert!(claims_completion(&decoded));
}

#[test]
fn without_a_clean_exit_nothing_is_complete() {
    let stream = recorded(Agent::OpenCode, "completed");
    for exit in [ProcessExit::Code(1), ProcessExit::Code(130), ProcessExit::Cut] {
        let decoded = crate::support::decode(Agent::OpenCode, "", &stream, exit);
        assert!(decoded.last_result().is_none(), "{exit:?}");
    }
}

#[test]
fn errors_of_the_api() {
    let cases = [
        ("unauthorized", 401, "stub bad key"),
        ("too-many-requests", 429, "stub rate limit"),
        ("server-error", 500, "stub internal error"),
    ];
    for (name, status, message) in cases {
        for exit in [0, 1] {
            let decoded = play(name, exit);
            assert_eq!(decoded.summaries(), ["started None None "]);
            let ending = Ending::ApiError { status: Some(status), message: message.into() };
            assert_eq!(decoded.result().ending, ending);
            assert_eq!(decoded.result().text, "");
        }
    }
}

#[test]
fn the_last_event_counts() {
    let ending = |stream: &str| decode(stream).result().ending.clone();
    assert_eq!(ending(&format!("{ERROR}{STOP}")), Ending::Completed, "it was overcome");
    assert_eq!(
        ending(&format!("{STOP}{ERROR}")),
        Ending::ApiError { status: None, message: "UnknownError".into() }
    );
}

#[test]
fn only_the_last_step_ends_the_session() {
    let started = format!("{STOP}{{\"type\":\"step_start\"}}");
    assert!(decode(&started).last_result().is_none());
    let tools = STOP.replace("stop", "tool-calls");
    assert!(decode(&tools).last_result().is_none());
    let length = STOP.replace("stop", "length");
    let other = Ending::Other { reason: "length".into(), message: String::new() };
    assert_eq!(decode(&length).result().ending, other);
}

#[test]
fn costs_and_thoughts_add_up() {
    let step = r#"{"type":"step_finish","part":{"reason":"stop","cost":0.5,"tokens":{"input":1,"output":2,"reasoning":3,"cache":{"read":4,"write":5}}}}
"#;
    let decoded = decode(&step.repeat(2));
    assert_eq!(decoded.result().cost_usd, Some(1.0));
    let tokens = TokenCount { input: 2, output: 10, cache_read: 8, cache_creation: 10 };
    assert_eq!(decoded.result().tokens, tokens);
    assert_eq!(decoded.summaries(), ["context 15", "context 15"]);
}

#[test]
fn only_the_last_step_has_the_final_message() {
    let text = "{\"type\":\"text\",\"part\":{\"text\":\"<promise>COMPLETE</promise>\"}}\n";
    let next = "{\"type\":\"step_start\"}\n";
    assert_eq!(decode(&format!("{text}{next}{STOP}")).result().text, "");
    let tools = STOP.replace("stop", "tool-calls");
    assert_eq!(decode(&format!("{text}{tools}{STOP}")).result().text, "", "a start is lost");
    assert!(claims_completion(&decode(&format!("{next}{text}{STOP}"))));
}

#[test]
fn tools_that_failed() {
    let tool = |state: &str| {
        decode(&format!(
            r#"{{"type":"tool_use","part":{{"tool":"edit","callID":"c","state":{state}}}}}"#
        ))
        .summaries()
    };
    assert_eq!(
        tool(r#"{"status":"error","input":{"filePath":"/a"},"error":"no such file"}"#),
        ["start c edit Main /a", "end c Failed no such file"]
    );
    let exit =
        r#"{"status":"completed","input":{"command":"false"},"output":"x","metadata":{"exit":1}}"#;
    assert_eq!(tool(exit)[1], "end c Failed x");
    assert_eq!(tool("7"), ["start c edit Main ", "end c Failed "]);
}
