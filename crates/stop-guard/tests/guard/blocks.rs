//! How often the guard blocks, and when it stops blocking.

use serde_json::json;

use crate::harness::{GuardOutput, Project, move_to, story};

fn cheating() -> Project {
    let project = Project::in_iteration("implement", [story("US-001")]);
    project.agent_edits(|list| move_to(&mut list["userStories"][0], true, json!("approved"), 1));
    project
}

/// How many stops are blocked before one is allowed.
fn blocks(project: &Project) -> usize {
    (0..20).take_while(|_| matches!(project.stop().output, GuardOutput::Block(_))).count()
}

#[test]
fn six_blocks_then_a_warning() {
    let project = cheating();
    for number in 1..=6 {
        project.stop().assert_blocked_for(&format!("block {number} of 6"));
    }
    let answer = project.stop();
    let GuardOutput::Warn(message) = answer.output else { panic!("{answer:?}") };
    assert!(message.contains("allows this session to end with 3 unresolved findings"), "{message}");
    assert!(message.contains("was blocked 6 times already"), "{message}");
    assert!(message.contains("The runner judges the result"), "{message}");
}

#[test]
fn the_marker_may_set_another_limit_below_claudes_cap() {
    for (set, cap, expected) in
        [(2, None, 2), (50, None, 8), (0, None, 0), (6, Some("3"), 3), (9, Some("0"), 9)]
    {
        let project = Project::new();
        let mut marker = project.marker("implement");
        marker["maxBlocks"] = json!(set);
        project.write_marker(&marker);
        project
            .agent_edits(|list| move_to(&mut list["userStories"][0], true, json!("approved"), 1));
        let project = match cap {
            Some(cap) => project.env("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", cap),
            None => project,
        };
        assert_eq!(blocks(&project), expected, "maxBlocks {set}, cap {cap:?}");
    }
}

#[test]
fn each_session_is_counted_by_itself() {
    let mut project = cheating().env("RALPH_RUN_ID", "run-1");
    assert_eq!(blocks(&project), 6);
    project.input["session_id"] = json!("../another/session");
    assert_eq!(blocks(&project), 6);
}

#[test]
fn tampering_gives_in_as_well() {
    let project = cheating().env("RALPH_MARKER_SHA256", "0".repeat(64));
    assert_eq!(blocks(&project), 6);
}

#[test]
fn without_saved_state_one_block_per_turn() {
    let mut project = cheating().env("CLAUDE_PLUGIN_DATA", "/dev/null/nowhere");
    project.stop().assert_blocked_for("block 1 of 1");
    project.input["stop_hook_active"] = json!(true);
    let answer = project.stop();
    assert!(
        matches!(&answer.output, GuardOutput::Warn(m) if m.contains("blocks cannot be counted")),
        "{answer:?}"
    );
}

#[test]
fn a_session_without_a_name_is_counted_by_its_run_and_marker() {
    let project = cheating();
    let marker = std::fs::read(project.file(".ralph-active")).unwrap();
    let hash = tasks::Sha256Digest::of(marker).to_string();
    let mut project = project.env("RALPH_RUN_ID", "run-1").env("RALPH_MARKER_SHA256", hash);
    project.input.as_object_mut().unwrap().remove("session_id");
    assert_eq!(blocks(&project), 6);
}
