//! Reviews that do more, or less, than judge one story.

use serde_json::{Value, json};
use simulator::{Act, Mode};

use crate::cheating::Cheat;
use crate::stories::{NEEDS_REVIEW, approval, fields, set, story, story_at};

fn reviewing() -> Cheat {
    let stories = [story_at("US-001", NEEDS_REVIEW, 0), story_at("US-002", NEEDS_REVIEW, 0)];
    Cheat::in_mode(Mode::Review, stories)
}

#[test]
fn a_review_that_approves_two_stories() {
    reviewing()
        .commits([approval("US-001"), approval("US-002")])
        .with_the_list_untouched("may only modify one story, and this one is about US-001");
}

#[test]
fn a_review_that_approves_a_story_without_a_submission() {
    let stories = [story_at("US-001", NEEDS_REVIEW, 0), story("US-002")];
    let project = Cheat::in_mode(Mode::Review, stories)
        .commits([Act::approve("fine"), approval("US-002")])
        .for_what("story US-002");
    assert_eq!(project.fields("US-001"), fields(false, NEEDS_REVIEW, 0, ""));
    assert_eq!(project.fields("US-002"), fields(false, Value::Null, 0, ""));
}

#[test]
fn a_verdict_that_is_not_counted() {
    let verdict = [("passes", json!(true)), ("reviewStatus", json!("approved"))];
    reviewing()
        .commits([set("US-001", verdict)])
        .with_the_list_untouched("a review must increment reviewCount");
}

#[test]
fn a_request_for_changes_without_feedback() {
    reviewing().commits([Act::request_changes("")]).with_the_list_untouched("US-001");
}

/// Parts with criteria of their own would get rid of what the story asks for.
#[test]
fn a_review_that_splits_the_story() {
    let mut part = story("US-009");
    part["splitFrom"] = json!("US-001");
    let Value::Object(story) = part else { unreachable!() };
    let project = reviewing()
        .commits([Act::AddStory { story }, Act::RemoveStory { story: None }])
        .for_what("story US-001: removed");
    assert_eq!(project.fields("US-001"), fields(false, NEEDS_REVIEW, 0, ""));
}

#[test]
fn a_review_that_edits_code_and_commits_it() {
    let edits = [
        Act::write("src/code.txt", "better code\n"),
        Act::write("src/more/new.txt", "new\n"),
        Act::approve("what was done"),
    ];
    let project = reviewing()
        .commits(edits)
        .with_the_list_untouched("a review must not change files, but changed src/code.txt");
    assert_eq!(project.read("src/code.txt"), "code\n");
    assert!(!project.has("src/more"));
    assert_eq!(project.git(&["status", "--porcelain", "src"]), "");
    assert_eq!(
        project.git(&["show", "HEAD~1:src/code.txt"]),
        "better code",
        "and yet nothing is lost"
    );
}

#[test]
fn a_review_that_edits_code_and_leaves_it() {
    let edits =
        [Act::bash("rm src/code.txt; echo new > src/new.txt"), Act::approve("what was done")];
    let project = reviewing().does(edits).with_the_list_untouched("but changed src/code.txt");
    assert_eq!(project.read("src/code.txt"), "code\n");
    assert!(!project.has("src/new.txt"));
    assert_eq!(project.git(&["show", "HEAD~1:src/new.txt"]), "new", "and yet nothing is lost");
}

#[test]
fn a_review_that_edits_code_and_takes_it_back_has_done_nothing() {
    let stories = [story_at("US-001", NEEDS_REVIEW, 0)];
    let project = crate::harness::Project::new(stories).scenario(simulator::Scenario::new().rule(
        simulator::When::mode(Mode::Review),
        [
            Act::write("src/code.txt", "tried"),
            Act::bash("git checkout -q src/code.txt"),
            Act::approve("fine"),
            Act::append("CLAUDE.md", "a lesson\n"),
            Act::append("ralph/progress.txt", "reviewed\n"),
            Act::commit("review"),
        ],
    ));
    let run = project.run([]);
    run.assert_end(events::RunEnd::Complete);
    assert_eq!(run.findings(), "");
    assert_eq!(project.read("CLAUDE.md"), "a lesson\n");
}

#[test]
fn a_review_that_commits_a_repository_of_its_own() {
    let clone = "git init -q sub && cd sub && git -c user.name=s -c user.email=s@localhost commit \
                 -q --allow-empty -m x";
    let project = reviewing()
        .commits([
            Act::bash(clone),
            Act::write("src/code.txt", "better code\n"),
            Act::approve("what was done"),
        ])
        .with_the_list_untouched("but changed sub");
    assert_eq!(project.read("src/code.txt"), "code\n", "the rest is undone all the same");
}
