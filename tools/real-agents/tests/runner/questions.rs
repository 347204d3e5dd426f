//! A session asks the user: its story waits, the other one is done, and the answer is in the next prompt.

use serde_json::{Value, json};
use simulator::Turn;

use crate::answers::{asking, complete, reviewed};
use crate::model;
use crate::run_output::RunOutput;
use crate::run_setup::RunSetup;
use crate::stories::{APPROVED, approved, committed, submitted};

const QUESTION: &str = "Which greeting, Hello or Hi?";
const ANSWER: &str = "Hi, as in the old program.";

/// The turns that end an implementation and an approving review.
fn endings(has_handoffs: bool, story: &str) -> [Turn; 2] {
    match has_handoffs {
        true => [complete(story, "done"), reviewed(story, "it works", "approved")],
        false => [Turn::text("Submitted."), Turn::text(APPROVED)],
    }
}

/// US-001 asks with this turn, and US-002 is done.
fn first_run(setup: &RunSetup, args: &[&str], ask: Turn) -> RunOutput {
    let mut stories = setup.stories();
    let bye = stories.work("echo 'echo Bye' >bye.sh", 1, submitted());
    let review = stories.work("true", 1, approved(1));
    let [done, verdict] = endings(!args.is_empty(), "US-002");
    let half = committed("echo 'echo Hello' >greet.sh");
    let output = setup.run(&model([vec![half, ask], vec![bye, done], vec![review, verdict]]), args);
    assert_eq!(output.exit_code, Some(1), "{output}");
    assert_eq!(output.each("run-ended", "end"), ["questions-open"], "{output}");
    assert_eq!(
        output.each("iteration-ended", "status"),
        ["asked", "accepted", "accepted"],
        "{output}"
    );
    assert_eq!(output.each("question-asked", "text"), [QUESTION], "{output}");
    let end = output.each("run-ended", "text")[0].to_owned();
    assert!(end.contains("answer with `ralph-loop answer US-001 TEXT`"), "{end}");
    output
}

fn asks_and_gets_its_answer(args: &[&str], ask: Turn) {
    let setup = RunSetup::with_plugin();
    let output = first_run(&setup, args, ask);
    // The Stop hook lets a session that asks end.
    assert!(!output.hook_answers().contains(&"blocked"), "{output}");

    setup.call(&["answer", "US-001", ANSWER]);
    let list: Value = serde_json::from_str(&setup.call(&["questions", "--json"])).unwrap();
    let expected = json!([QUESTION, ANSWER, false]);
    let question = &list["questions"][0];
    assert_eq!(json!([question["text"], question["answer"], question["isReceived"]]), expected);

    let mut stories = setup.stories();
    let greet = stories.work("grep -q Hello greet.sh; echo 'echo Hi $1' >greet.sh", 0, submitted());
    let review = stories.work("true", 0, approved(1));
    let [done, verdict] = endings(!args.is_empty(), "US-001");
    let model = model([vec![greet, done], vec![review, verdict]]);
    let output = setup.run(&model, args);
    assert_eq!(output.exit_code, Some(0), "{output}");
    assert_eq!(output.each("iteration-started", "mode"), ["implement", "review"], "{output}");
    let requests = model.requests();
    for part in ["The user answered:", ANSWER, QUESTION] {
        assert!(requests[0].mentions(part) > 0, "{part}");
    }
    assert_eq!(requests[2].mentions(ANSWER), 0, "reviews do not get it");
    assert_eq!(setup.list()["userStories"][0]["passes"], true);
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn in_its_final_message() {
    asks_and_gets_its_answer(&[], Turn::text(format!("Half is there.\n\nQUESTION: {QUESTION}")));
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn in_its_handoff() {
    asks_and_gets_its_answer(&["--handoffs"], asking("US-001", QUESTION));
}
