//! Invalid handoffs, refused by Claude Code or by the guard: each iteration still has a handoff,
//! the run continues, and a handoff can only submit a story.

use serde_json::{Value, json};
use simulator::Turn;

use crate::answers::{answer, complete, reviewed};
use crate::model;
use crate::run_setup::RunSetup;
use crate::stories::{approved, committed};

/// The reminder of Claude Code after a text answer.
const REMINDER: &str = "You MUST call the StructuredOutput tool";

/// Six denials of the guard, and five of Claude Code itself.
const TRIES: usize = 11;

fn only_talks() -> Vec<Turn> {
    let work = committed("echo 'echo Hello' >greet.sh");
    vec![work, Turn::text("I only talk."), Turn::text("And I keep talking.")]
}

fn answers_with_a_wrong_schema() -> Vec<Turn> {
    let wrong = (0..TRIES).map(|_| answer(json!({"done": "yes"})));
    [committed("echo 'echo Hello $1' >greet.sh")].into_iter().chain(wrong).collect()
}

/// Approves itself, is denied by the guard, and reverts that.
fn obeys_the_guard(setup: &RunSetup) -> Vec<Turn> {
    let cheat = setup.stories().work("true", 0, approved(1));
    let back = setup.stories().work("true", 0, json!({}));
    vec![cheat, complete("US-001", "Approved."), back, complete("US-001", "Greets by name.")]
}

/// Contradicts its verdict, is denied by the guard, and corrects it.
fn reviews(setup: &RunSetup) -> Vec<Turn> {
    let approve = setup.stories().work("true", 0, approved(1));
    let says = |verdict| reviewed("US-001", "It greets Ada.", verdict);
    vec![approve, says("changes_requested"), says("approved")]
}

fn handoff(setup: &RunSetup, folder: &str) -> Value {
    serde_json::from_str(&setup.read(format!("{folder}/handoff.json"))).unwrap()
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn every_iteration_has_a_handoff_and_a_review_approves_the_story() {
    let setup = RunSetup::with_plugin();
    let sessions =
        [only_talks(), answers_with_a_wrong_schema(), obeys_the_guard(&setup), reviews(&setup)];
    let mut first_requests = vec![0];
    for session in &sessions {
        first_requests.push(first_requests.last().unwrap() + session.len());
    }
    let model = model(sessions);
    let output = setup.run(&model, &["--handoffs", "-n", "4"]);

    let modes = ["implement", "implement", "implement", "review"];
    assert_eq!(output.each("iteration-started", "mode"), modes, "{output}");
    let statuses = ["no-progress", "no-progress", "accepted", "accepted"];
    assert_eq!(output.each("iteration-ended", "status"), statuses, "{output}");
    let sources = ["runner", "runner", "agent", "agent"];
    assert_eq!(output.each("handoff-saved", "source"), sources, "{output}");
    let claims = ["partial", "partial", "complete", "partial"];
    assert_eq!(output.each("handoff-saved", "claim"), claims, "{output}");
    let shapeless = "its answer does not have the required format";
    assert_eq!(output.each("agent-ended", "detail"), ["", shapeless, "", ""], "{output}");
    let moves = ["needs_review", "approved"];
    assert_eq!(
        output.each("story-status-changed", "to"),
        moves,
        "a handoff submits, a review decides: {output}"
    );
    assert_eq!(setup.list()["userStories"][0]["passes"], true);

    let requests = model.requests();
    assert_eq!(requests.len(), *first_requests.last().unwrap(), "each session has its turns");
    assert_eq!(requests[2].mentions(REMINDER), 1, "{:?}", requests[2].user_texts());
    let third = first_requests[2];
    assert!(requests[third + 2].mentions("implement iterations cannot approve") > 0);
    assert_eq!(output.hook_answers(), ["blocked"; 2], "{output}");
    let words = "the task list says approved, the final message says changes_requested";
    assert!(requests.last().unwrap().mentions(words) > 0, "{output}");

    let folders = output.each("iteration-started", "folder");
    let words = handoff(&setup, folders[0])["task_completed"]["summary"].clone();
    assert_eq!(words, "And I keep talking.");
    let files = handoff(&setup, folders[1])["files_touched"].clone();
    assert_eq!(files, json!([{"path": "greet.sh", "action": "modified"}]));
    assert!(
        requests[first_requests[1]].mentions("And I keep talking.") > 0,
        "the next session gets it"
    );
    assert_eq!(requests[first_requests[3]].mentions("Greets by name."), 0, "a review is not");
    setup.assert_figures_add_up(&output);
}
