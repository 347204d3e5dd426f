//! Handoffs that Claude Code does not take, and one that the guard does not: each iteration leaves one
//! all the same, the run goes on, and what a handoff says at most submits a story.

use serde_json::{Value, json};
use simulator::Turn;

use crate::answers::{answer, complete, reviewed};
use crate::model;
use crate::stories::{approved, committed};
use crate::workshop::Workshop;

/// What Claude Code says to a model that ends without an answer.
const REMINDER: &str = "You MUST call the StructuredOutput tool";

/// Six that the guard may deny, and five that are Claude Code's own affair.
const TRIES: usize = 11;

fn only_talks() -> Vec<Turn> {
    let work = committed("echo 'echo Hello' >greet.sh");
    vec![work, Turn::text("I only talk."), Turn::text("And I keep talking.")]
}

fn answers_in_another_shape() -> Vec<Turn> {
    let wrong = (0..TRIES).map(|_| answer(json!({"done": "yes"})));
    [committed("echo 'echo Hello $1' >greet.sh")].into_iter().chain(wrong).collect()
}

/// It approves itself, hears of the guard that it may not, and takes that back.
fn obeys_the_guard(workshop: &Workshop) -> Vec<Turn> {
    let cheat = workshop.stories().work("true", 0, approved(1));
    let back = workshop.stories().work("true", 0, json!({}));
    vec![cheat, complete("US-001", "Approved."), back, complete("US-001", "Greets by name.")]
}

/// It contradicts itself, hears of the guard that it may not, and says what it wrote.
fn reviews(workshop: &Workshop) -> Vec<Turn> {
    let approve = workshop.stories().work("true", 0, approved(1));
    let says = |verdict| reviewed("US-001", "It greets Ada.", verdict);
    vec![approve, says("changes_requested"), says("approved")]
}

fn handoff(workshop: &Workshop, folder: &str) -> Value {
    serde_json::from_str(&workshop.read(format!("{folder}/handoff.json"))).unwrap()
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn one_is_left_by_every_iteration_and_submits_what_a_review_then_approves() {
    let workshop = Workshop::with_plugin();
    let sessions =
        [only_talks(), answers_in_another_shape(), obeys_the_guard(&workshop), reviews(&workshop)];
    let mut first_requests = vec![0];
    for session in &sessions {
        first_requests.push(first_requests.last().unwrap() + session.len());
    }
    let model = model(sessions);
    let told = workshop.run(&model, &["--handoffs", "-n", "4"]);

    let modes = ["implement", "implement", "implement", "review"];
    assert_eq!(told.each("iteration-started", "mode"), modes, "{told}");
    let statuses = ["no-progress", "no-progress", "accepted", "accepted"];
    assert_eq!(told.each("iteration-ended", "status"), statuses, "{told}");
    let sources = ["runner", "runner", "agent", "agent"];
    assert_eq!(told.each("handoff-saved", "source"), sources, "{told}");
    let claims = ["partial", "partial", "complete", "partial"];
    assert_eq!(told.each("handoff-saved", "claim"), claims, "{told}");
    let shapeless = "it gave no answer of the shape that was asked for";
    assert_eq!(told.each("agent-ended", "detail"), ["", shapeless, "", ""], "{told}");
    let moves = ["needs_review", "approved"];
    assert_eq!(
        told.each("story-status-changed", "to"),
        moves,
        "a handoff submits, a review decides: {told}"
    );
    assert_eq!(workshop.list()["userStories"][0]["passes"], true);

    let requests = model.requests();
    assert_eq!(requests.len(), *first_requests.last().unwrap(), "each session has its turns");
    assert_eq!(requests[2].mentions(REMINDER), 1, "{:?}", requests[2].user_texts());
    let third = first_requests[2];
    assert!(requests[third + 2].mentions("implement iterations cannot approve") > 0);
    assert_eq!(told.hook_answers(), ["blocked"; 2], "{told}");
    let words = "the task list says approved, the final message says changes_requested";
    assert!(requests.last().unwrap().mentions(words) > 0, "{told}");

    let folders = told.each("iteration-started", "folder");
    let words = handoff(&workshop, folders[0])["task_completed"]["summary"].clone();
    assert_eq!(words, "And I keep talking.");
    let files = handoff(&workshop, folders[1])["files_touched"].clone();
    assert_eq!(files, json!([{"path": "greet.sh", "action": "modified"}]));
    assert!(
        requests[first_requests[1]].mentions("And I keep talking.") > 0,
        "the next one is told"
    );
    assert_eq!(requests[first_requests[3]].mentions("Greets by name."), 0, "a review is not");
    workshop.assert_figures_add_up(&told);
}
