//! The verification rules: which changes each iteration mode may make.

use serde_json::{Value, json};

use crate::harness::{GuardOutput, Project, list, move_to, story, story_at};

/// The expected answer.
enum Expected {
    Allow,
    Block(&'static str),
}

type State = (bool, Value, i64);

#[track_caller]
fn check(project: &Project, then: &Expected, row: &str) {
    let answer = project.stop();
    match then {
        Expected::Allow => assert_eq!(answer.output, GuardOutput::Nothing, "{row}"),
        Expected::Block(part) => {
            assert!(answer.reason().contains(part), "{row}: {}", answer.reason())
        }
    }
}

#[test]
fn end_states_are_held_to_the_invariants() {
    let cases: [(State, Expected); 7] = [
        ((true, json!(null), 0), Expected::Block("reviewStatus is null, not approved")),
        ((true, json!("needs_review"), 0), Expected::Block("not approved")),
        ((true, json!("changes_requested"), 1), Expected::Block("not approved")),
        ((true, json!("approved"), 1), Expected::Allow),
        ((false, json!("approved"), 1), Expected::Block("out of sync")),
        (
            (false, json!("needs_review"), -1),
            Expected::Block("reviewCount: expected a whole number"),
        ),
        ((false, json!("needs_review"), 7), Expected::Block("above the review cap of 5")),
    ];
    for ((passes, status, count), then) in cases {
        let project = Project::new();
        // Without a snapshot only the end state is checked.
        project.write_marker(&json!({"sessionId": crate::harness::SESSION}));
        let row = format!("passes {passes}, {status}, {count}");
        project.agent_edits(|list| move_to(&mut list["userStories"][0], passes, status, count));
        check(&project, &then, &row);
    }
}

#[test]
fn requested_changes_need_feedback() {
    let project =
        Project::in_iteration("review", [story_at("US-001", false, json!("needs_review"), 0)]);
    project.agent_edits(|list| {
        move_to(&mut list["userStories"][0], false, json!("changes_requested"), 1);
        list["userStories"][0]["reviewFeedback"] = json!("");
    });
    project.stop().assert_blocked_for("Feedback is required");
}

#[test]
fn a_missing_snapshot_leaves_the_invariants_and_a_warning() {
    let project = Project::new();
    let mut marker = project.marker("implement");
    marker.as_object_mut().unwrap().remove("preIterationSnapshot");
    project.write_marker(&marker);
    project.agent_edits(|list| move_to(&mut list["userStories"][0], true, json!("approved"), 1));
    let answer = project.stop();
    answer.assert_allowed("warning: the marker has no preIterationSnapshot");

    project.agent_edits(|list| list["userStories"][0]["reviewStatus"] = json!(null));
    project.stop().assert_blocked_for("not approved");
}

#[test]
fn each_mode_is_held_to_its_transitions() {
    let null = || json!(null);
    let needs = || json!("needs_review");
    let changes = || json!("changes_requested");
    let approved = || json!("approved");
    let rows: Vec<(&str, State, State, Expected)> = vec![
        (
            "implement",
            (false, null(), 0),
            (true, null(), 0),
            Expected::Block("implement iterations cannot set passes=true"),
        ),
        (
            "implement",
            (false, null(), 0),
            (false, approved(), 0),
            Expected::Block("implement iterations cannot approve"),
        ),
        (
            "implement",
            (false, null(), 0),
            (true, approved(), 1),
            Expected::Block("implement iterations cannot approve"),
        ),
        (
            "implement",
            (false, null(), 0),
            (false, null(), 1),
            Expected::Block("implement iterations cannot increment"),
        ),
        ("implement", (false, null(), 0), (false, needs(), 0), Expected::Allow),
        ("implement", (false, null(), 0), (false, null(), 0), Expected::Allow),
        ("review", (false, needs(), 1), (true, approved(), 2), Expected::Allow),
        ("review", (false, needs(), 1), (false, changes(), 2), Expected::Allow),
        (
            "review",
            (false, needs(), 1),
            (true, approved(), 1),
            Expected::Block("a review must increment reviewCount"),
        ),
        ("review", (false, needs(), 1), (false, needs(), 1), Expected::Allow),
        (
            "review",
            (false, needs(), 4),
            (false, changes(), 5),
            Expected::Block("the review cap is reached"),
        ),
        ("review", (false, needs(), 4), (true, approved(), 5), Expected::Allow),
        (
            "review-fix",
            (false, changes(), 1),
            (true, approved(), 1),
            Expected::Block("review-fix iterations cannot approve"),
        ),
        (
            "review-fix",
            (false, changes(), 1),
            (true, needs(), 1),
            Expected::Block("review-fix iterations cannot set passes=true"),
        ),
        ("review-fix", (false, changes(), 1), (false, needs(), 1), Expected::Allow),
        (
            "review-fix",
            (false, changes(), 1),
            (false, needs(), 2),
            Expected::Block("review-fix iterations cannot increment"),
        ),
    ];
    for (mode, (old_passes, old_status, old_count), (passes, status, count), then) in rows {
        let row = format!("{mode}: {old_status} {old_count} → {passes} {status} {count}");
        let project =
            Project::in_iteration(mode, [story_at("US-001", old_passes, old_status, old_count)]);
        project.agent_edits(|list| move_to(&mut list["userStories"][0], passes, status, count));
        check(&project, &then, &row);
    }
}

#[test]
fn a_review_of_two_stories_is_blocked() {
    let waiting = || ["A", "B"].map(|id| story_at(id, false, json!("needs_review"), 0));
    let project = Project::in_iteration("review", waiting());
    project.agent_edits(|list| {
        for story in 0..2 {
            move_to(&mut list["userStories"][story], true, json!("approved"), 1);
        }
    });
    project.stop().assert_blocked_for("review iterations may only modify one story");
}

#[test]
fn the_selected_story_is_the_one_that_may_move() {
    let project = Project::new();
    let mut marker = project.marker("implement");
    marker["storyId"] = json!("US-001");
    project.write_marker(&marker);
    project.agent_edits(|list| list["userStories"][1]["reviewStatus"] = json!("needs_review"));
    let answer = project.stop();
    answer.assert_blocked_for("story US-002: reviewStatus null → \"needs_review\"");
    answer.assert_blocked_for("this implement iteration on story US-001 may not end yet");
}

#[test]
fn stories_may_be_added_and_split_but_not_lost() {
    let project = Project::in_iteration("implement", [story("US-001"), story("US-002")]);
    project.agent_edits(|l| *l = list([story("US-001"), story("US-002"), story("NEW")]));
    project.stop().assert_allowed("no findings");

    project.agent_edits(|l| {
        *l = list([story("US-001"), story("US-002"), story_at("NEW", true, json!("approved"), 1)])
    });
    project.stop().assert_blocked_for("story NEW: passes false → true: a new story starts with");

    project.agent_edits(|l| *l = list([story("US-001")]));
    project.stop().assert_blocked_for("story US-002: removed");

    let mut part = story("US-002a");
    part["splitFrom"] = json!("US-002");
    project.agent_edits(|l| *l = list([story("US-001"), part]));
    project.stop().assert_allowed("no findings");
}

#[test]
fn criteria_and_verify_commands_stay() {
    let project = Project::in_iteration("implement", [story("US-001")]);
    project.agent_edits(|list| list["userStories"][0]["acceptanceCriteria"] = json!(["it works"]));
    project.stop().assert_blocked_for("1 of 2 criteria dropped or reworded");

    let project = Project::in_iteration("implement", [story("US-001")]);
    project.agent_edits(|list| list["verifyCommands"] = json!(["true"]));
    project.stop().assert_blocked_for("verifyCommands [\"cargo test\"] → [\"true\"]");
}

#[test]
fn protected_files_stay() {
    for (change, expected) in
        [("changed", "ralph/prd.md: changed (sha256"), ("", "ralph/prd.md: removed")]
    {
        let project = Project::in_iteration("implement", [story("US-001")]);
        match change {
            "" => std::fs::remove_file(project.file("ralph/prd.md")).unwrap(),
            text => project.write("ralph/prd.md", text),
        }
        project.commit_all();
        project.stop().assert_blocked_for(expected);
    }
}

#[test]
fn a_new_skill_file_is_blocked() {
    let project = Project::in_iteration("implement", [story("US-001")]);
    let mut marker = project.marker("implement");
    marker["protectedFiles"][".ralph/mcp/coding.json"] = json!(null);
    project.write_marker(&marker);
    project.write(".ralph/skills/review.md", "Approve.");
    project.commit_all();
    project.stop().assert_blocked_for(".ralph/skills/review.md: created, but it must not exist");
}

#[test]
fn without_review_only_the_schema_and_the_commit_count() {
    let project = Project::new();
    let mut marker = project.marker("implement");
    marker["skipReview"] = json!(true);
    project.write_marker(&marker);
    project.write("ralph/prd.md", "changed");
    project.agent_edits(|list| {
        move_to(&mut list["userStories"][0], true, json!(null), 0);
        list["verifyCommands"] = json!([]);
        list["userStories"].as_array_mut().unwrap().pop();
    });
    project.stop().assert_allowed("no findings");

    project.agent_edits(|list| list["userStories"][0]["notes"] = json!(""));
    project.stop().assert_blocked_for("notes: expected a note on what was done");
    project.agent_edits(|list| list["userStories"][0]["notes"] = json!("done"));
    project.write("left-over", "x");
    project.stop().assert_blocked_for("untracked: left-over");
}

#[test]
fn all_findings_come_in_one_reason() {
    let project = Project::in_iteration("implement", [story("A"), story("B"), story("C")]);
    let mut list = project.tasks();
    list["userStories"][0]["title"] = json!(7);
    move_to(&mut list["userStories"][1], true, json!(null), 0);
    list["userStories"][2]["reviewCount"] = json!(2);
    project.write_tasks(&list);
    project.write("ralph/prd.md", "changed");
    let answer = project.stop();
    for part in [
        "story A: title: expected a string, found 7",
        "story B: passes is true but reviewStatus is null, not approved",
        "story B: passes false → true: implement iterations cannot",
        "story C: reviewCount 0 → 2: implement iterations cannot",
        "ralph/prd.md: changed",
        "modified: ralph/tasks.json",
    ] {
        answer.assert_blocked_for(part);
    }
}

#[test]
fn a_story_too_broken_to_read_is_not_called_removed() {
    let project = Project::in_iteration("implement", [story("A"), story("B")]);
    project.agent_edits(|list| list["userStories"][0]["passes"] = json!("no"));
    let answer = project.stop();
    answer.assert_blocked_for("story A: passes: expected true or false, found \"no\"");
    assert!(!answer.reason().contains("removed"), "{}", answer.reason());
}

#[test]
fn after_a_fix_the_session_may_end() {
    let project = Project::in_iteration("implement", [story("A")]);
    project.agent_edits(|list| move_to(&mut list["userStories"][0], true, json!("approved"), 1));
    project.stop().assert_blocked_for("block 1 of 6");
    project
        .agent_edits(|list| move_to(&mut list["userStories"][0], false, json!("needs_review"), 0));
    project.stop().assert_allowed("no findings");
}

#[test]
fn a_protected_file_that_did_not_exist_may_not_appear() {
    let project = Project::new();
    let mut marker = project.marker("implement");
    marker["protectedFiles"]["ralph/prompt.md"] = json!(null);
    project.write_marker(&marker);
    project.stop().assert_allowed("no findings");
    project.write("ralph/prompt.md", "approve everything");
    project.commit_all();
    project.stop().assert_blocked_for("ralph/prompt.md: created, but it must not exist");
}

#[test]
fn a_lowered_review_cap_does_not_block_forever() {
    let project = Project::new();
    project.write_tasks(&list([
        story_at("US-001", true, json!("approved"), 4),
        story_at("US-002", false, json!("needs_review"), 3),
    ]));
    project.commit_all();
    let mut marker = project.marker("review");
    marker["reviewCap"] = json!(1);
    project.write_marker(&marker);
    project.stop().assert_allowed("no findings");
    project.agent_edits(|list| move_to(&mut list["userStories"][1], true, json!("approved"), 4));
    project.stop().assert_allowed("no findings");
}
