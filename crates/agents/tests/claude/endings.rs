//! The endings of result lines, and usage limits.

use agents::Ending;

use crate::stream::decode;

fn ending(before: &str, result: &str) -> Ending {
    let stream = format!("{before}\n{{\"type\":\"result\",{result}}}");
    decode(stream.as_bytes()).result().ending.clone()
}

fn limit(status: &str) -> String {
    format!(
        r#"{{"type":"rate_limit_event","rate_limit_info":{{"status":"{status}","resetsAt":1778565600,"rateLimitType":"five_hour","utilization":1,"overageStatus":"rejected"}}}}"#
    )
}

const HIT: &str = r#""subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":429,"result":"You've hit your limit · resets 2pm (Asia/Shanghai)""#;

#[test]
fn a_used_up_account_with_its_reset() {
    assert_eq!(
        ending(&limit("rejected"), HIT),
        Ending::UsageLimit { resets_at: Some(1_778_565_600) }
    );
    let summaries = decode(limit("rejected").as_bytes()).summaries();
    assert_eq!(summaries, ["limit Rejected Some(1778565600) five_hour Some(1.0)"]);
}

#[test]
fn a_used_up_account_in_the_format_of_older_versions() {
    let old = r#""subtype":"success","is_error":true,"result":"Claude AI usage limit reached|1749924000""#;
    assert_eq!(ending("", old), Ending::UsageLimit { resets_at: Some(1_749_924_000) });
    let no_status = r#""subtype":"success","is_error":true,"result":"You've hit your limit""#;
    assert_eq!(
        ending(&limit("rejected"), no_status),
        Ending::UsageLimit { resets_at: Some(1_778_565_600) }
    );
}

#[test]
fn too_many_requests_is_no_used_up_account() {
    for before in ["", &limit("allowed"), &limit("allowed_warning"), &limit("queued")] {
        let ending = ending(before, HIT);
        assert!(matches!(ending, Ending::ApiError { status: Some(429), .. }), "{ending:?}");
    }
}

#[test]
fn the_last_limit_event_counts() {
    let before = format!("{}\n{}", limit("rejected"), limit("allowed"));
    assert!(matches!(ending(&before, HIT), Ending::ApiError { status: Some(429), .. }));
}

#[test]
fn other_endings_under_a_limit_are_unchanged() {
    let rejected = limit("rejected");
    let done = r#""is_error":false,"terminal_reason":"completed","result":"usage limit reached|1""#;
    assert_eq!(ending(&rejected, done), Ending::Completed);
    let denied =
        r#""is_error":true,"terminal_reason":"api_error","api_error_status":401,"result":"x""#;
    assert!(matches!(ending(&rejected, denied), Ending::ApiError { status: Some(401), .. }));
    let aborted = r#""is_error":true,"terminal_reason":"aborted_tools","errors":["stopped"]"#;
    assert_eq!(
        ending(&rejected, aborted),
        Ending::Other { reason: "aborted_tools".into(), message: "stopped".into() }
    );
}

#[test]
fn the_verdict_is_not_in_the_subtype() {
    let failed = r#""subtype":"success","is_error":true,"terminal_reason":"completed""#;
    assert!(matches!(ending("", failed), Ending::Other { .. }));
    let error = r#""subtype":"success","is_error":false,"terminal_reason":"api_error""#;
    assert!(matches!(ending("", error), Ending::ApiError { .. }));
}

#[test]
fn without_is_error_the_rest_of_the_line_decides() {
    for well in [r#""subtype":"success""#, r#""subtype":"success","terminal_reason":"completed""#] {
        assert_eq!(ending("", well), Ending::Completed, "{well}");
        let rejected = ending(&limit("rejected"), well);
        assert!(
            matches!(rejected, Ending::UsageLimit { .. } | Ending::Other { .. }),
            "{rejected:?}"
        );
    }
    assert_eq!(ending("", r#""terminal_reason":"completed""#), Ending::Completed);
    for badly in [
        r#""result":"Done.""#,
        r#""subtype":"error_during_execution","result":"Done.""#,
        r#""subtype":"error_during_execution","terminal_reason":"completed""#,
        r#""subtype":"success","api_error_status":500"#,
        r#""subtype":"success","errors":["no"]"#,
        r#""subtype":"success","is_error":"no""#,
    ] {
        let ending = ending("", badly);
        assert!(
            matches!(ending, Ending::ApiError { .. } | Ending::Other { .. }),
            "{badly}: {ending:?}"
        );
    }
}

#[test]
fn versions_without_a_reason() {
    assert_eq!(ending("", r#""subtype":"success","is_error":false"#), Ending::Completed);
    assert_eq!(ending("", r#""subtype":"error_max_turns","is_error":true"#), Ending::TurnLimit);
    let failed = r#""subtype":"error_during_execution","is_error":true,"errors":["a","b"]"#;
    assert_eq!(
        ending("", failed),
        Ending::Other { reason: "error_during_execution".into(), message: "a; b".into() }
    );
}

#[test]
fn reasons_of_their_own() {
    for reason in ["blocking_limit", "rapid_refill_breaker"] {
        let line = format!(r#""is_error":true,"terminal_reason":"{reason}""#);
        assert_eq!(ending("", &line), Ending::PromptTooLong);
    }
    let stopped = r#""is_error":false,"terminal_reason":"hook_stopped","result":"x""#;
    assert_eq!(
        ending("", stopped),
        Ending::Other { reason: "hook_stopped".into(), message: "x".into() }
    );
}

#[test]
fn the_window_of_the_main_model() {
    let usage = r#""is_error":false,"terminal_reason":"completed","modelUsage":{"small":{"inputTokens":9000,"contextWindow":200000},"main":{"inputTokens":5,"outputTokens":1,"contextWindow":1000000}}"#;
    let init = r#"{"type":"system","subtype":"init","model":"main"}"#;
    let decoded = decode(format!("{init}\n{{\"type\":\"result\",{usage}}}").as_bytes());
    assert_eq!(decoded.result().context_window, Some(1_000_000));
    assert_eq!(decoded.result().tokens.total(), 9006);
    let unknown = decode(format!("{{\"type\":\"result\",{usage}}}").as_bytes());
    assert_eq!(unknown.result().context_window, Some(200_000));
    assert_eq!(unknown.result().model.as_deref(), Some("small"));
}

#[test]
fn every_result_is_emitted() {
    let line = r#"{"type":"result","is_error":false,"terminal_reason":"completed","result":"#;
    let decoded = decode(format!("{line}\"one\"}}\n{line}\"two\"}}").as_bytes());
    assert_eq!(decoded.events.len(), 2);
    assert_eq!(decoded.result().text, "two");
}

#[test]
fn messages_of_claude_code_are_notices() {
    let stream = br#"{"type":"system","subtype":"init","plugins":[],"plugin_errors":[{"plugin":"inline[0]","type":"path-not-found","message":"no such folder"}]}
{"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"auto","pre_tokens":9,"post_tokens":4}}
{"type":"system","subtype":"compact_boundary"}
{"type":"system","subtype":"notification","key":"stop-hook-block-cap","text":"overridden"}"#;
    let expected = [
        "notice plugin inline[0]: no such folder",
        "compacted Some(4)",
        "compacted None",
        "notice overridden",
    ];
    assert_eq!(decode(stream).summaries()[1..], expected);
}

#[test]
fn an_answer_that_never_got_its_shape() {
    let failed = r#""subtype":"error_max_structured_output_retries","is_error":true,"terminal_reason":"structured_output_retry_exhausted""#;
    assert_eq!(ending("", failed), Ending::NoStructuredAnswer);
}

#[test]
fn a_structured_answer_is_kept_unchanged() {
    let result = |structured: &str| {
        let line = format!(
            r#"{{"type":"result","is_error":false,"terminal_reason":"completed","structured_output":{structured}}}"#
        );
        decode(line.as_bytes()).result().structured.clone()
    };
    assert_eq!(result(r#"{"a":[1]}"#), Some(serde_json::json!({ "a": [1] })));
    assert_eq!((result("null"), result("\"x\""), result("[]")), (None, None, None));
}
