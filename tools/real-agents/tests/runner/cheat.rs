//! An agent that approves its own work.

use simulator::{Request, Turn};

use crate::model;
use crate::run_output::RunOutput;
use crate::run_setup::RunSetup;
use crate::stories::{approved, submitted};

const OFFENCE: &str = "implement iterations cannot approve";

fn blocks(output: &RunOutput) -> usize {
    output.hook_answers().iter().filter(|answer| **answer == "blocked").count()
}

fn gets(request: &Request) -> bool {
    request.mentions(OFFENCE) > 0
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn an_agent_that_obeys_the_guard_is_accepted() {
    let setup = RunSetup::with_plugin();
    let mut stories = setup.stories();
    let approve = stories.work("echo 'echo Hello $1' >greet.sh", 0, approved(1));
    let mut stories = setup.stories();
    let submit = stories.work("true", 0, submitted());
    let turns = vec![approve, Turn::text("Approved."), submit, Turn::text("Submitted.")];
    let model = model([turns]);
    let output = setup.run(&model, &["-n", "1"]);

    assert_eq!(output.exit_code, Some(1), "{output}");
    assert_eq!(blocks(&output), 1, "{output}");
    let blocked = output.each("hook-answered", "text");
    assert!(blocked[0].contains(OFFENCE), "{blocked:?}");
    assert_eq!(output.all("changes-reverted").len(), 0, "{output}");
    assert_eq!(output.each("iteration-ended", "status"), ["accepted"]);
    assert_eq!(output.each("story-status-changed", "to"), ["needs_review"]);
    assert_eq!(model.requests().iter().map(gets).collect::<Vec<_>>(), [false, false, true, true]);
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn an_agent_that_defies_the_guard_is_reverted_and_the_next_one_sees_why() {
    let setup = RunSetup::with_plugin();
    let approve = setup.stories().work("echo 'echo Hello $1' >greet.sh", 0, approved(1));
    // Six blocks; the seventh stop is allowed.
    let defiant = std::iter::repeat_with(|| Turn::text("Approved.")).take(7);
    let cheat: Vec<Turn> = [approve].into_iter().chain(defiant).collect();
    let submit = setup.stories().work("true", 0, submitted());
    let honest = vec![submit, Turn::text("Submitted.")];
    let (second, model) = (cheat.len(), model([cheat, honest]));
    let output = setup.run(&model, &["-n", "2"]);

    assert_eq!(output.exit_code, Some(1), "{output}");
    assert_eq!(blocks(&output), 6, "{output}");
    assert_eq!(output.hook_answers().last(), Some(&"warned"), "{output}");
    assert_eq!(output.all("changes-reverted").len(), 1, "{output}");
    let findings = output.all("changes-reverted")[0]["findings"].to_string();
    assert!(findings.contains(OFFENCE), "{findings}");
    assert_eq!(output.each("iteration-ended", "status"), ["reverted", "accepted"]);
    assert_eq!(output.each("iteration-started", "mode"), ["implement"; 2]);
    let requests = model.requests();
    assert!(gets(&requests[second]), "the next prompt says what was wrong");
    assert!(requests[second].mentions("iteration 2 of 2: implement US-001") > 0);
    assert_eq!(setup.list()["userStories"][0]["reviewStatus"], "needs_review");
}
