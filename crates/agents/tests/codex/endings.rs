//! The final message, and the meaning of failures.

use agents::Ending;

use crate::decode;

fn message(text: &str) -> String {
    format!(
        r#"{{"type":"item.completed","item":{{"id":"m","type":"agent_message","text":"{text}"}}}}
"#
    )
}

fn command(phase: &str, id: &str) -> String {
    format!(
        r#"{{"type":"item.{phase}","item":{{"id":"{id}","type":"command_execution","command":"ls"}}}}
"#
    )
}

const COMPLETED: &str = r#"{"type":"turn.completed","usage":{"input_tokens":9}}
"#;
const STARTED: &str = "{\"type\":\"turn.started\"}\n";

fn final_text(lines: &[&str]) -> String {
    decode(&[&lines.concat(), COMPLETED].concat()).result().text.clone()
}

#[test]
fn the_last_message_is_the_result() {
    assert_eq!(final_text(&[&message("a"), &message("b")]), "b");
    assert_eq!(final_text(&[]), "");
    assert_eq!(final_text(&[&message("a"), &message("")]), "");
}

#[test]
fn a_message_before_more_work_is_not_the_last_word() {
    let (begun, done) = (command("started", "c"), command("completed", "c"));
    assert_eq!(final_text(&[&message("a"), &begun, &done]), "");
    assert_eq!(final_text(&[&message("a"), &done]), "", "reported only at its end");
    assert_eq!(final_text(&[&begun, &message("a"), &done]), "a", "it only ended then");
}

#[test]
fn a_message_of_another_turn_is_not_the_final_message() {
    let stream = [&*message("a"), COMPLETED, STARTED, COMPLETED].concat();
    let decoded = decode(&stream);
    assert_eq!(decoded.result().text, "");
    assert_eq!(final_text(&[&message("a"), STARTED]), "");
}

#[test]
fn no_result_without_the_end_of_a_turn() {
    let error = r#"{"type":"error","message":"gone"}"#;
    let decoded = decode(&[&*message("a"), error].concat());
    assert_eq!(decoded.last_result(), None);
    assert_eq!(decoded.summaries(), ["text a", "notice gone"]);
}

fn failed(message: &str) -> Ending {
    let message = serde_json::json!(message);
    let line = format!(r#"{{"type":"turn.failed","error":{{"message":{message}}}}}"#);
    decode(&line).result().ending.clone()
}

#[test]
fn a_used_up_account() {
    for message in [
        "You've hit your usage limit. Try again later.",
        "You’ve hit your usage limit for gpt-x. Switch to another model now, or try again later.",
        "Your workspace is out of credits. Add credits to continue.",
        "Quota exceeded. Check your plan and billing details.",
    ] {
        assert_eq!(failed(message), Ending::UsageLimit { resets_at: None }, "{message}");
    }
    let dated = "You've hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), \
                 or try again at Aug 8th, 2026 12:30 PM.";
    let Ending::UsageLimit { resets_at: Some(reset) } = failed(dated) else {
        panic!("{:?}", failed(dated));
    };
    // Noon in any time zone.
    assert!(reset.abs_diff(1_786_192_200) <= 14 * 3600, "{reset}");
}

#[test]
fn a_limit_in_other_text_is_ignored() {
    let quoted = "unexpected status 500: he said You've hit your usage limit";
    assert!(matches!(failed(quoted), Ending::ApiError { status: Some(500), .. }));
}

#[test]
fn a_full_context() {
    let message = "Codex ran out of room in the model's context window. Start a new thread or \
                   clear earlier history before retrying.";
    assert_eq!(failed(message), Ending::PromptTooLong);
}
