//! Which sessions the guard judges, and how it handles stale, corrupt or modified markers.

use serde_json::{Value, json};
use tasks::Sha256Digest;

use crate::harness::{Project, SESSION, move_to};

/// Breaks every rule and has uncommitted changes, so that every judged session is blocked.
fn spoiled() -> Project {
    let project = Project::new();
    let mut list = project.tasks();
    move_to(&mut list["userStories"][0], true, json!("approved"), 1);
    project.write_marker(&project.marker("implement"));
    project.write_tasks(&list);
    project
}

fn with_marker(edit: impl FnOnce(&mut Value)) -> Project {
    let project = spoiled();
    let text = std::fs::read(project.file(".ralph-active")).unwrap();
    let mut marker: Value = serde_json::from_slice(&text).unwrap();
    edit(&mut marker);
    project.write_marker(&marker);
    project
}

fn without_session(pid: i64) -> Project {
    with_marker(|marker| {
        marker.as_object_mut().unwrap().remove("sessionId");
        marker["pid"] = json!(pid);
    })
}

#[test]
fn the_session_the_marker_names_is_judged() {
    spoiled().stop().assert_blocked_for("implement iterations cannot approve");
}

#[test]
fn another_session_is_ignored() {
    let project = with_marker(|marker| marker["sessionId"] = json!("another-session"));
    project.stop().assert_allowed("the loop runs session another-session, not this one");
}

#[test]
fn a_session_that_carries_the_run_is_judged() {
    let other = || with_marker(|marker| marker["sessionId"] = json!("another-session"));
    other().env("RALPH_RUN_ID", "run-1").stop().assert_blocked_for("cannot approve");
    other().env("RALPH_RUN_ID", "run-2").stop().assert_allowed(", not this one");
}

#[test]
fn a_marker_that_names_no_session_counts_while_its_process_lives() {
    without_session(std::process::id().into()).stop().assert_blocked_for("cannot approve");
    for dead in [0, -1, i64::from(i32::MAX)] {
        without_session(dead).stop().assert_allowed("allowed: ");
    }
}

#[test]
fn no_marker_no_loop() {
    let project = spoiled();
    std::fs::remove_file(project.file(".ralph-active")).unwrap();
    project.stop().assert_allowed("no loop is running here");
}

#[test]
fn a_corrupt_marker_warns_unless_the_session_is_proven_to_be_the_loops() {
    for broken in ["", "{\"pid\":", "[]", "\0\0\0", "{\"iterationMode\":\"sprint\"}"] {
        let project = spoiled();
        project.write(".ralph-active", broken);
        project.stop().assert_allowed("warning: cannot read .ralph-active");
        let proven = project.env("RALPH_RUN_ID", "run-1").stop();
        proven.assert_blocked_for("it is unreadable");
    }
}

#[test]
fn a_marker_that_names_the_session_and_makes_no_sense_otherwise_is_corrupt() {
    let project = with_marker(|marker| marker["iterationMode"] = json!("sprint"));
    project.stop().assert_allowed("warning: cannot read .ralph-active");
    let proven = project.env("RALPH_RUN_ID", "run-1").stop();
    proven.assert_blocked_for("it is unreadable");
}

#[test]
fn a_rewritten_marker_is_tampering() {
    let honest = spoiled();
    let hash = Sha256Digest::of(std::fs::read(honest.file(".ralph-active")).unwrap()).to_string();
    let honest = honest.env("RALPH_MARKER_SHA256", hash.clone()).env("RALPH_RUN_ID", "run-1");
    honest.stop().assert_blocked_for("cannot approve");

    let tampered = with_marker(|marker| {
        marker["skipReview"] = json!(true);
        marker["sessionId"] = json!("another-session");
    });
    let answer = tampered.env("RALPH_MARKER_SHA256", hash).stop();
    answer.assert_blocked_for("was tampered with");
    answer.assert_blocked_for("its sha256 is ");
}

#[test]
fn a_removed_marker_is_tampering_in_a_project_with_a_loop() {
    let project = spoiled().env("RALPH_MARKER_SHA256", "0".repeat(64));
    std::fs::remove_file(project.file(".ralph-active")).unwrap();
    project.stop().assert_blocked_for("it was removed");

    std::fs::remove_dir_all(project.file("ralph")).unwrap();
    project.stop().assert_allowed("no loop is running here");
}

#[test]
fn background_tasks_are_waited_for() {
    let mut project = spoiled();
    project.input["background_tasks"] = json!([{"id": "b1", "type": "shell", "status": "running"}]);
    project.stop().assert_allowed("background tasks still run (1)");
    project.input["background_tasks"] = json!([]);
    project.stop().assert_blocked_for("cannot approve");
}

#[test]
fn a_subagent_is_not_the_session() {
    let mut project = spoiled();
    project.input["agent_id"] = json!("agent-1");
    project.stop().assert_allowed("subagent");
}

#[test]
fn missing_fields_on_stdin_leave_the_environment_to_go_by() {
    let project = spoiled();
    project.stop_with("{}").assert_allowed(", not this one");
    let project = project.env("RALPH_RUN_ID", "run-1");
    project.stop_with("{}").assert_blocked_for("cannot approve");
}

#[test]
fn stdin_that_is_not_json_is_no_reason_to_fail() {
    for stdin in [&b""[..], b"nonsense", b"\xff\xfe\0", b"[]", b"{\"session_id\":"] {
        let answer = spoiled().stop_with(stdin);
        answer.assert_allowed("using the environment only");
        answer.assert_allowed(", not this one");
    }
}

#[test]
fn the_project_is_claudes_not_the_folder_the_agent_moved_to() {
    let mut project = spoiled();
    project.input["cwd"] = json!("/");
    project.stop().assert_blocked_for("cannot approve");
}

#[test]
fn the_ralph_folder_may_lie_elsewhere() {
    let project = Project::new();
    std::fs::rename(project.file("ralph"), project.file("planning")).unwrap();
    project.commit_all();
    let marker = json!({"sessionId": SESSION, "ralphDir": "planning"});
    project.write_marker(&marker);
    project.stop().assert_allowed("no findings");
    project.write("planning/tasks.json", "{}");
    project.stop().assert_blocked_for("Problems in planning/tasks.json");
}
