//! Every recorded stream, event by event.

use std::time::Duration;

use agents::{Ending, TokenCount};

use crate::stream::{Decoded, decode, recorded};

const STARTED: &str = "started (\"claude-opus-5-5\") (\"2.1.325\") \
                       cc-plugin-agents-md@builtin cc-plugin-privacy@builtin";

fn play(name: &str) -> Decoded {
    let decoded = decode(&recorded(name));
    assert_eq!(decoded.unreadable, 0, "{name}");
    decoded
}

#[test]
fn a_completed_session() {
    let decoded = play("completed");
    let expected = [
        STARTED,
        "context 1701",
        "text I will create the file.",
        "start toolu_1 Bash Main echo hi > out.txt && cat out.txt",
        "end toolu_1 Ok hi",
        "context 1701",
        "start toolu_2 Read Main /home/dev/app/out.txt",
        "end toolu_2 Ok 1 hi",
        "context 1701",
        "text Done. <promise>COMPLETE</promise>",
    ];
    assert_eq!(decoded.summaries(), expected);
    let result = decoded.result();
    assert_eq!(result.ending, Ending::Completed);
    assert_eq!(result.text, "Done. <promise>COMPLETE</promise>");
    assert_eq!(result.cost_usd, Some(0.0165));
    assert_eq!(
        result.tokens,
        TokenCount { input: 3000, output: 60, cache_read: 1500, cache_creation: 600 }
    );
    assert_eq!(result.turns, Some(3));
    assert_eq!(result.duration, Some(Duration::from_millis(630)));
    assert_eq!(result.context_window, Some(1_000_000));
    assert_eq!(result.model.as_deref(), Some("claude-opus-5-5"));
    assert_eq!(result.session_id.as_deref(), Some("f37f76e3-e540-4c19-8495-0c56475b20d2"));
}

#[test]
fn a_blocked_stop() {
    let decoded = play("stop-blocked");
    let expected = [
        "started (\"claude-opus-5-5\") (\"2.1.325\") \
         guard@/home/dev/guard-plugin cc-plugin-agents-md@builtin",
        "context 1701",
        "text Working.",
        "start toolu_1 Bash Main true",
        "hook PostToolUse PostToolUse:Bash Some(0) Informed { context: \"NOTICE: context 52% used\" }",
        "end toolu_1 Ok (Bash completed with no output)",
        "context 1701",
        "text Finished.",
        "hook Stop Stop Some(0) Blocked { reason: \"Story US-001: passes changed false -> true in \
         implement mode; set it back to false.\" }",
        "context 1701",
        "text I set passes back to false and committed. Finished.",
        "hook Stop Stop Some(0) Silent",
    ];
    assert_eq!(decoded.summaries(), expected);
    assert_eq!(decoded.result().ending, Ending::Completed);
}

#[test]
fn hooks_that_fail_and_hooks_that_are_missing() {
    let decoded = play("hooks-that-fail");
    let hooks: Vec<_> = decoded
        .summaries()
        .into_iter()
        .filter_map(|t| t.strip_prefix("hook ").map(str::to_owned))
        .collect();
    let expected = [
        "SessionStart SessionStart:startup Some(0) Informed { context: \"plain context\" }",
        "PreToolUse PreToolUse:Bash Some(0) Silent",
        "PostToolUse PostToolUse:Bash Some(1) Failed { why: \"Error occurred while executing hook \
         command: ENOENT: no such file or directory, posix_spawn '/home/dev/hooks/nothere'\" }",
        "PostToolUse PostToolUse:Bash Some(0) Warned { message: \"mind the gap\" }",
        "PostToolUse PostToolUse:Bash Some(127) Failed { why: \"/bin/sh: 1: \
         /home/dev/hooks/nothere-shell: not found\" }",
        "Stop Stop Some(1) Failed { why: \"broke\" }",
        "Stop Stop Some(2) Blocked { reason: \"not yet\" }",
        "Stop Stop Some(0) Silent",
        "Stop Stop Some(1) Failed { why: \"broke\" }",
    ];
    assert_eq!(hooks, expected);
    assert_eq!(decoded.result().ending, Ending::Completed);
}

#[test]
fn a_tool_that_failed() {
    let summaries = play("tool-failed").summaries();
    assert_eq!(summaries[2], "start toolu_1 Bash Main echo oops >&2; exit 3");
    assert_eq!(summaries[3], "end toolu_1 Failed Exit code 3: oops");
}

#[test]
fn a_tag_in_tool_output_is_ignored() {
    let decoded = play("tag-in-tool-output");
    let texts: Vec<_> =
        decoded.summaries().into_iter().filter(|t| t.starts_with("text ")).collect();
    assert_eq!(texts, ["text Not finished yet."]);
    assert_eq!(decoded.result().text, "Not finished yet.");
}

#[test]
fn an_empty_answer_is_complete_and_empty() {
    let decoded = play("empty-answer");
    assert_eq!(decoded.summaries(), [STARTED]);
    assert_eq!(decoded.result().ending, Ending::Completed);
    assert_eq!(decoded.result().text, "");
}

#[test]
fn structured_output_is_the_text() {
    let decoded = play("structured-output");
    let answer = r#"{"task_id":"US-001","summary":"did it","fully_complete":true}"#;
    assert_eq!(decoded.summaries()[5], format!("start toolu_2 StructuredOutput Main {answer}"));
    assert_eq!(decoded.result().text, answer);
}

#[test]
fn limits_of_the_call() {
    assert_eq!(play("turn-limit").result().ending, Ending::TurnLimit);
    let budget = play("budget-exhausted");
    assert_eq!(budget.result().ending, Ending::BudgetExhausted);
    assert_eq!(budget.result().tokens.input, 4000, "all calls, not only the last turn's");
    assert_eq!(play("prompt-too-long").result().ending, Ending::PromptTooLong);
}

#[test]
fn an_api_error_after_retries() {
    let decoded = play("api-error-after-retries");
    let expected =
        [STARTED, "retry 1/2 602ms Some(529) overloaded", "retry 2/2 1.131s Some(529) overloaded"];
    assert_eq!(decoded.summaries(), expected, "the error message is not the agent's own text");
    let Ending::ApiError { status: Some(529), message } = &decoded.result().ending else {
        panic!("{:?}", decoded.result().ending);
    };
    assert!(message.starts_with("API Error: 529 Overloaded."), "{message}");
    assert_eq!(decoded.result().model.as_deref(), Some("claude-opus-5-5"));
    assert_eq!(decoded.result().context_window, None);
}

#[test]
fn a_killed_session_has_no_result() {
    let decoded = play("killed-while-retrying");
    assert_eq!(decoded.summaries().len(), decoded.events.len());
    assert_eq!(decoded.summaries()[2], "retry 2/10 1.088s Some(429) rate_limit");
}

#[test]
fn a_subagent_and_an_interrupt() {
    let decoded = play("subagent-then-interrupted");
    let expected = [
        STARTED,
        "notice plugin inline[0]: Path not found: /home/dev/nope",
        "context 1701",
        "start toolu_1 Task Main explore",
        "start toolu_2 Bash Subagent true",
        "end toolu_2 Ok (Bash completed with no output)",
        "end toolu_1 Ok <tools-used-before-summary>Bash</tools-used-before-summary>",
        "context 1701",
        "start toolu_4 Bash Main sleep 20",
    ];
    assert_eq!(decoded.summaries()[..9], expected);
    assert!(decoded.summaries()[9].starts_with("end toolu_4 Failed The user doesn't want to"));
    let Ending::Other { reason, .. } = &decoded.result().ending else {
        panic!("{:?}", decoded.result().ending);
    };
    assert_eq!(reason, "aborted_tools");
}
