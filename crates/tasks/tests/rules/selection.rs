//! Selection of the next story.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tasks::{Mode, ReviewPolicy, Scope, Selection, StoryId, select};

use crate::support::{id, list, parsed, story, story_at};

const REVIEWED: ReviewPolicy = ReviewPolicy::Required { cap: 5 };

fn pick(stories: impl IntoIterator<Item = Value>) -> Selection {
    select(&parsed(&list(stories)), REVIEWED, &BTreeSet::new(), &BTreeSet::new(), &Scope::default())
}

fn work(mode: Mode, story: &str) -> Selection {
    Selection::Work { mode, story: id(story) }
}

fn at_priority(mut story: Value, priority: f64) -> Value {
    story["priority"] = json!(priority);
    story
}

fn after(mut story: Value, dependencies: &[&str]) -> Value {
    story["dependsOn"] = json!(dependencies);
    story
}

fn blocked_reasons(selection: Selection) -> Vec<String> {
    match selection {
        Selection::Blocked(stories) => stories.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn review_fix_comes_before_review_before_implement() {
    let fresh = || story("N");
    let waiting = || story_at("R", false, Some("needs_review"), 0);
    let returned = || story_at("F", false, Some("changes_requested"), 1);
    assert_eq!(pick([fresh(), waiting(), returned()]), work(Mode::ReviewFix, "F"));
    assert_eq!(pick([fresh(), waiting()]), work(Mode::Review, "R"));
    assert_eq!(pick([fresh()]), work(Mode::Implement, "N"));
}

#[test]
fn priority_beats_file_order_which_breaks_ties() {
    let stories =
        [at_priority(story("A"), 2.0), at_priority(story("B"), 1.5), at_priority(story("C"), 1.5)];
    assert_eq!(pick(stories), work(Mode::Implement, "B"));
}

#[test]
fn implement_waits_for_dependencies() {
    let first = at_priority(after(story("A"), &["B"]), 1.0);
    assert_eq!(pick([first.clone(), at_priority(story("B"), 9.0)]), work(Mode::Implement, "B"));
    assert_eq!(pick([first, story_at("B", true, Some("approved"), 1)]), work(Mode::Implement, "A"));
}

#[test]
fn a_review_does_not_wait_for_dependencies() {
    let submitted = after(story_at("A", false, Some("needs_review"), 0), &["B"]);
    assert_eq!(pick([submitted, story("B")]), work(Mode::Review, "A"));
}

#[test]
fn given_up_stories_are_skipped_in_every_mode() {
    let list = parsed(&list([
        story_at("F", false, Some("changes_requested"), 1),
        story_at("R", false, Some("needs_review"), 0),
        story("N"),
        after(story("D"), &["N"]),
    ]));
    let aside = |ids: &[&str]| ids.iter().map(|i| id(i)).collect::<BTreeSet<StoryId>>();
    assert_eq!(
        select(&list, REVIEWED, &aside(&["F"]), &BTreeSet::new(), &Scope::default()),
        work(Mode::Review, "R")
    );
    assert_eq!(
        select(&list, REVIEWED, &aside(&["F", "R"]), &BTreeSet::new(), &Scope::default()),
        work(Mode::Implement, "N")
    );
    assert_eq!(
        blocked_reasons(select(
            &list,
            REVIEWED,
            &aside(&["F", "R", "N"]),
            &BTreeSet::new(),
            &Scope::default()
        )),
        [
            "story F was given up",
            "story R was given up",
            "story N was given up",
            "story D waits for N",
        ]
    );
}

#[test]
fn stories_that_wait_for_an_answer_are_passed_over() {
    let list = parsed(&list([story("A"), after(story("B"), &["A"]), story("C")]));
    let waiting = |ids: &[&str]| ids.iter().map(|i| id(i)).collect::<BTreeSet<StoryId>>();
    let of = |asking| select(&list, REVIEWED, &BTreeSet::new(), &asking, &Scope::default());
    assert_eq!(of(waiting(&["A"])), work(Mode::Implement, "C"));
    assert_eq!(
        blocked_reasons(of(waiting(&["A", "C"]))),
        ["story A waits for an answer", "story B waits for A", "story C waits for an answer"]
    );
}

#[test]
fn everything_approved_is_complete() {
    assert_eq!(pick([story_at("A", true, Some("approved"), 1)]), Selection::Complete);
}

#[test]
fn a_story_out_of_sync_blocks() {
    assert_eq!(
        blocked_reasons(pick([story_at("A", true, None, 0)])),
        ["story A has passes and reviewStatus out of sync"]
    );
    assert_eq!(
        blocked_reasons(pick([story_at("A", false, Some("approved"), 1)])),
        ["story A has passes and reviewStatus out of sync"]
    );
}

#[test]
fn without_review_the_mode_is_always_implement() {
    let skip = |stories: Vec<Value>| {
        select(
            &parsed(&list(stories)),
            ReviewPolicy::Skipped,
            &BTreeSet::new(),
            &BTreeSet::new(),
            &Scope::default(),
        )
    };
    assert_eq!(
        skip(vec![story_at("F", false, Some("changes_requested"), 1)]),
        work(Mode::Implement, "F")
    );
    assert_eq!(skip(vec![story_at("A", true, None, 0)]), Selection::Complete);
    assert_eq!(
        skip(vec![after(story("A"), &["B"]), story_at("B", true, None, 0)]),
        work(Mode::Implement, "A")
    );
}

#[test]
fn a_scope_excludes_other_stories_and_follows_splits() {
    let scope = |id: &str| Scope::of(StoryId::new(id).unwrap());
    let select_in = |stories: &[Value], scope: &Scope| {
        select(
            &parsed(&list(stories.to_vec())),
            REVIEWED,
            &BTreeSet::new(),
            &BTreeSet::new(),
            scope,
        )
    };
    let stories = [
        story_at("A", false, Some("changes_requested"), 1),
        story("B"),
        story_at("C", true, Some("approved"), 1),
    ];
    assert_eq!(select_in(&stories, &scope("B")), work(Mode::Implement, "B"));
    assert_eq!(select_in(&stories, &scope("C")), Selection::Complete);
    assert_eq!(select_in(&stories, &scope("X")), Selection::Blocked(Vec::new()));

    let part = |id: &str, from: &str, done: bool| {
        let mut part = if done { story_at(id, true, Some("approved"), 1) } else { story(id) };
        part["splitFrom"] = json!(from);
        part
    };
    let mut limited = scope("B");
    let once = [part("B1", "B", false), part("B2", "B", true)];
    limited.follow_splits(&parsed(&list(once.to_vec())));
    assert_eq!(select_in(&once, &limited), work(Mode::Implement, "B1"));
    let twice = [part("B2", "B", true), part("B11", "B1", false)];
    limited.follow_splits(&parsed(&list(twice.to_vec())));
    assert_eq!(select_in(&twice, &limited), work(Mode::Implement, "B11"), "B is not done yet");
}
