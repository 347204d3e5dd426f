//! Sessions of a loop that run out of time.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::{SESSION, Session, assert_says, model_text, write_marker};

const WARNING: &str = "Time WARNING: this session has passed its soft time limit";

fn in_seconds(seconds: u64) -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() + seconds
}

/// A session of a loop with low context usage and these marker fields.
fn session(times: &Value) -> Session {
    let session = Session::new();
    let mut marker = json!({"sessionId": SESSION, "ralphDir": "planning"});
    marker.as_object_mut().unwrap().extend(times.as_object().unwrap().clone());
    write_marker(&session, &marker);
    session.at(1_000, "claude-opus-4-6");
    session
}

#[test]
fn a_late_session_is_warned_once_with_the_time_left() {
    let session = session(&json!({"softLimitAt": 5, "hardLimitAt": in_seconds(8 * 60 + 30)}));
    let alert = session.alert().unwrap();
    assert!(
        alert.starts_with(WARNING) && alert.contains(" and is ended in about 8 min. "),
        "{alert}"
    );
    assert!(alert.contains("planning/progress.txt"), "{alert}");
    assert_eq!(session.alert(), None);
    session.starts();
    assert_eq!(session.alert(), None, "a compaction does not repeat the warning");
}

#[test]
fn before_its_soft_limit_a_session_gets_no_warning() {
    let times = json!({"softLimitAt": in_seconds(3600), "hardLimitAt": in_seconds(7200)});
    assert_eq!(session(&times).alert(), None);
    assert_eq!(session(&json!({"hardLimitAt": 5})).alert(), None);
    assert_eq!(session(&json!({})).alert(), None);
}

#[test]
fn a_reviewer_is_asked_for_the_verdict() {
    let alert = session(&json!({"softLimitAt": 5, "iterationMode": "review"})).alert().unwrap();
    assert!(alert.contains("Give your verdict now") && !alert.contains("progress.txt"), "{alert}");
}

#[test]
fn only_the_loops_own_session_is_warned() {
    let other = session(&json!({"softLimitAt": 5, "sessionId": "other", "runId": "r"}));
    assert_eq!(other.alert(), None);
    assert_says(other.env("RALPH_RUN_ID", "r").alert(), WARNING);

    let own = session(&json!({"softLimitAt": 5}));
    let mut input = own.input("PostToolUse");
    input["agent_id"] = json!("agent-1");
    assert_eq!(model_text(&own.command(&input).output().unwrap()), None, "not a subagent");
    assert_says(own.alert(), WARNING);
}

#[test]
fn time_and_context_share_an_answer_and_keep_their_own_count() {
    let session = session(&json!({"softLimitAt": 5}));
    let alert = session.alert_at(150_000).unwrap();
    assert!(alert.contains(WARNING) && alert.contains("Context WARNING: 75 %"), "{alert}");
    assert_says(session.alert_at(180_000), "Context CRITICAL: 90 %");
    session.starts();
    let again = session.alert_at(180_000).unwrap();
    assert!(again.contains("Context CRITICAL: 90 %") && !again.contains(WARNING), "{again}");
}

#[test]
fn time_needs_no_transcript() {
    let unreadable = session(&json!({"softLimitAt": 5}));
    std::fs::remove_file(unreadable.dir.path().join("transcript.jsonl")).unwrap();
    assert_says(unreadable.alert(), WARNING);

    let unnamed = session(&json!({"softLimitAt": 5}));
    let mut input = unnamed.input("PostToolUse");
    input.as_object_mut().unwrap().remove("transcript_path");
    assert_says(model_text(&unnamed.command(&input).output().unwrap()), WARNING);
}

#[test]
fn invalid_times_do_not_suppress_context_alerts() {
    let nonsense = [json!("soon"), json!(-5), json!(1.5), json!([5]), json!(null), json!(u64::MAX)];
    for time in nonsense {
        let session = session(&json!({
            "softLimitAt": time, "hardLimitAt": time, "iterationMode": 5, "contextWindow": 250_000,
        }));
        let alert = session.alert_at(190_000).unwrap();
        assert!(alert.starts_with("Context WARNING: 76 %"), "{time}: {alert}");
        assert!(
            alert.contains("planning/tasks.json") && !alert.contains("Time"),
            "{time}: {alert}"
        );
    }
}

#[test]
fn without_saved_state_nothing_is_repeated() {
    let session = session(&json!({"softLimitAt": 5}));
    assert_eq!(session.env("CLAUDE_PLUGIN_DATA", "/dev/null/nowhere").alert(), None);
}

#[test]
fn of_many_tools_at_once_one_gets_the_warning() {
    let session = session(&json!({"softLimitAt": 5}));
    let alerts: usize = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..12).map(|_| scope.spawn(|| session.alert())).collect();
        calls.into_iter().filter_map(|call| call.join().unwrap()).count()
    });
    assert_eq!(alerts, 1);
}
