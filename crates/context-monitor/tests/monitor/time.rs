//! A session of a loop whose time runs out.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::{SESSION, Session, assert_says, heard, write_marker};

const WARNING: &str = "Time WARNING: this session has passed its soft time limit";

fn in_seconds(seconds: u64) -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() + seconds
}

/// A session of a loop, in a context with plenty of room, with these times and what else the marker
/// says.
fn session(times: &Value) -> Session {
    let session = Session::new();
    let mut marker = json!({"sessionId": SESSION, "ralphDir": "planning"});
    marker.as_object_mut().unwrap().extend(times.as_object().unwrap().clone());
    write_marker(&session, &marker);
    session.at(1_000, "claude-opus-4-6");
    session
}

#[test]
fn a_late_session_hears_once_how_long_it_has_and_what_to_do() {
    let session = session(&json!({"softLimitAt": 5, "hardLimitAt": in_seconds(8 * 60 + 30)}));
    let said = session.hears().unwrap();
    assert!(said.starts_with(WARNING) && said.contains(" and is ended in about 8 min. "), "{said}");
    assert!(said.contains("planning/progress.txt"), "{said}");
    assert_eq!(session.hears(), None);
    session.starts();
    assert_eq!(session.hears(), None, "compaction does not turn back the clock");
}

#[test]
fn before_its_soft_limit_a_session_hears_nothing() {
    let times = json!({"softLimitAt": in_seconds(3600), "hardLimitAt": in_seconds(7200)});
    assert_eq!(session(&times).hears(), None);
    assert_eq!(session(&json!({"hardLimitAt": 5})).hears(), None);
    assert_eq!(session(&json!({})).hears(), None);
}

#[test]
fn a_reviewer_is_asked_for_the_verdict() {
    let said = session(&json!({"softLimitAt": 5, "iterationMode": "review"})).hears().unwrap();
    assert!(said.contains("Give your verdict now") && !said.contains("progress.txt"), "{said}");
}

#[test]
fn only_the_loops_own_session_hears_it() {
    let other = session(&json!({"softLimitAt": 5, "sessionId": "other", "runId": "r"}));
    assert_eq!(other.hears(), None);
    assert_says(other.env("RALPH_RUN_ID", "r").hears(), WARNING);

    let own = session(&json!({"softLimitAt": 5}));
    let mut input = own.input("PostToolUse");
    input["agent_id"] = json!("agent-1");
    assert_eq!(heard(&own.command(&input).output().unwrap()), None, "not a subagent");
    assert_says(own.hears(), WARNING);
}

#[test]
fn time_and_context_share_an_answer_and_keep_their_own_count() {
    let session = session(&json!({"softLimitAt": 5}));
    let said = session.hears_at(150_000).unwrap();
    assert!(said.contains(WARNING) && said.contains("Context WARNING: 75 %"), "{said}");
    assert_says(session.hears_at(180_000), "Context CRITICAL: 90 %");
    session.starts();
    let again = session.hears_at(180_000).unwrap();
    assert!(again.contains("Context CRITICAL: 90 %") && !again.contains(WARNING), "{again}");
}

#[test]
fn time_needs_no_transcript() {
    let unreadable = session(&json!({"softLimitAt": 5}));
    std::fs::remove_file(unreadable.dir.path().join("transcript.jsonl")).unwrap();
    assert_says(unreadable.hears(), WARNING);

    let unnamed = session(&json!({"softLimitAt": 5}));
    let mut input = unnamed.input("PostToolUse");
    input.as_object_mut().unwrap().remove("transcript_path");
    assert_says(heard(&unnamed.command(&input).output().unwrap()), WARNING);
}

#[test]
fn times_that_make_no_sense_do_not_silence_the_context() {
    let nonsense = [json!("soon"), json!(-5), json!(1.5), json!([5]), json!(null), json!(u64::MAX)];
    for time in nonsense {
        let session = session(&json!({
            "softLimitAt": time, "hardLimitAt": time, "iterationMode": 5, "contextWindow": 250_000,
        }));
        let said = session.hears_at(190_000).unwrap();
        assert!(said.starts_with("Context WARNING: 76 %"), "{time}: {said}");
        assert!(said.contains("planning/tasks.json") && !said.contains("Time"), "{time}: {said}");
    }
}

#[test]
fn what_cannot_be_remembered_is_not_said_again_and_again() {
    let session = session(&json!({"softLimitAt": 5}));
    assert_eq!(session.env("CLAUDE_PLUGIN_DATA", "/dev/null/nowhere").hears(), None);
}

#[test]
fn of_many_tools_at_once_one_carries_the_word() {
    let session = session(&json!({"softLimitAt": 5}));
    let said: usize = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..12).map(|_| scope.spawn(|| session.hears())).collect();
        calls.into_iter().filter_map(|call| call.join().unwrap()).count()
    });
    assert_eq!(said, 1);
}
