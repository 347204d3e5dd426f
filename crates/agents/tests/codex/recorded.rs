//! Every recorded stream, event by event.

use agents::{Agent, Ending, ProcessExit, TokenCount};

use crate::support::{self, Decoded};

const STARTED: &str = "started None None ";
const NO_METADATA: &str = "notice Model metadata for `stub-model` not found. Defaulting to fallback \
                           metadata; this can degrade performance and cause issues.";
const FINAL: &str = "All finished. <promise>COMPLETE</promise>";

fn play(name: &str) -> Decoded {
    let stream = support::recorded(Agent::Codex, name);
    let decoded = support::decode(Agent::Codex, "", &stream, ProcessExit::Code(0));
    assert_eq!(decoded.unreadable, 0, "{name}");
    decoded
}

fn failure(name: &str) -> Ending {
    let decoded = play(name);
    assert_eq!(decoded.result().text, "", "{name}");
    decoded.result().ending.clone()
}

fn api_error(status: Option<u16>, message: &str) -> Ending {
    Ending::ApiError { status, message: message.into() }
}

#[test]
fn a_completed_session() {
    let decoded = play("completed");
    let expected = [
        STARTED,
        NO_METADATA,
        "text I will run one command.",
        "start item_2 shell Main echo hello-from-tool",
        "end item_2 Ok hello-from-tool",
        "text All finished. <promise>COMPLETE</promise>",
    ];
    assert_eq!(decoded.summaries(), expected);
    let result = decoded.result();
    assert_eq!(result.ending, Ending::Completed);
    assert_eq!(result.text, FINAL);
    assert_eq!(
        result.tokens,
        TokenCount { input: 120, output: 40, cache_read: 80, cache_creation: 0 }
    );
    assert_eq!(result.session_id.as_deref(), Some("01a1dcab-5ce3-74c3-afb8-f05ccab66524"));
    assert_eq!(result.cost_usd, None);
}

#[test]
fn tools_and_thoughts() {
    let expected = [
        STARTED,
        NO_METADATA,
        "start item_2 shell Main echo to-stderr >&2; exit 3",
        "end item_2 Failed Exit code 3: to-stderr",
        "start item_3 apply_patch Main /home/dev/app/codex2/newfile.txt",
        "end item_3 Ok ",
        "text All finished. <promise>COMPLETE</promise>",
    ];
    let decoded = play("tools");
    assert_eq!(decoded.summaries(), expected, "a thought is no text");
    assert_eq!(decoded.result().text, FINAL);
}

#[test]
fn a_session_that_had_to_reconnect() {
    let decoded = play("completed-after-reconnecting");
    let summaries = decoded.summaries();
    assert_eq!(
        summaries[1],
        "retry 2/5 0ns Some(404) unexpected status 404 Not Found: Unknown error, \
         url: ws://127.0.0.1:8080/ok/v1/responses"
    );
    assert!(
        summaries[5].starts_with("notice Falling back from WebSockets to HTTPS"),
        "{}",
        summaries[5]
    );
    assert_eq!(decoded.result().ending, Ending::Completed);
    assert_eq!(decoded.result().text, FINAL);
}

#[test]
fn one_message() {
    let decoded = play("one-message");
    assert_eq!(decoded.summaries().len(), 3);
    assert_eq!(decoded.result().text, FINAL);
    assert_eq!(decoded.result().tokens.total(), 360);
}

#[test]
fn without_a_sign_in() {
    let message = "unexpected status 401 Unauthorized: stub bad key, \
                   url: http://127.0.0.1:8080/e401/v1/responses";
    assert_eq!(failure("unauthorized"), api_error(Some(401), message));
    assert_eq!(failure("unauthorized-after-reconnecting"), api_error(Some(401), message));
}

#[test]
fn the_api_fails() {
    let message = "exceeded retry limit, last status: 429 Too Many Requests";
    assert_eq!(failure("too-many-requests"), api_error(Some(429), message));
    let message = "We’re currently experiencing high demand, which may cause temporary errors.";
    assert_eq!(failure("server-error"), api_error(None, message));
}

#[test]
fn a_message_before_the_failure_is_no_result() {
    let message = "stream disconnected before completion: stub mid-stream failure";
    assert_eq!(failure("stream-disconnected"), api_error(None, message));
    let summaries = play("stream-disconnected").summaries();
    assert_eq!(
        summaries[2..4],
        [
            "text I will run one command.",
            "retry 1/1 0ns None stream disconnected before completion: stub mid-stream failure",
        ]
    );
}
