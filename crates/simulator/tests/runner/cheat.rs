//! An agent that approves its own work.

use simulator::{Request, Turn};

use crate::model;
use crate::stories::{approved, submitted};
use crate::told::Told;
use crate::workshop::Workshop;

const OFFENCE: &str = "implement iterations cannot approve";

fn blocks(told: &Told) -> usize {
    told.hook_answers().iter().filter(|answer| **answer == "blocked").count()
}

fn is_told(request: &Request) -> bool {
    request.mentions(OFFENCE) > 0
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn one_that_obeys_the_guard_is_accepted() {
    let workshop = Workshop::with_plugin();
    let mut stories = workshop.stories();
    let approve = stories.work("echo 'echo Hello $1' >greet.sh", 0, approved(1));
    let mut stories = workshop.stories();
    let submit = stories.work("true", 0, submitted());
    let turns = vec![approve, Turn::text("Approved."), submit, Turn::text("Submitted.")];
    let model = model([turns]);
    let told = workshop.run(&model, &["-n", "1"]);

    assert_eq!(told.exit_code, Some(1), "{told}");
    assert_eq!(blocks(&told), 1, "{told}");
    let blocked = told.each("hook-answered", "text");
    assert!(blocked[0].contains(OFFENCE), "{blocked:?}");
    assert_eq!(told.all("changes-reverted").len(), 0, "{told}");
    assert_eq!(told.each("iteration-ended", "status"), ["accepted"]);
    assert_eq!(told.each("story-status-changed", "to"), ["needs_review"]);
    assert_eq!(
        model.requests().iter().map(is_told).collect::<Vec<_>>(),
        [false, false, true, true]
    );
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn one_that_defies_the_guard_is_undone_and_the_next_one_is_told() {
    let workshop = Workshop::with_plugin();
    let approve = workshop.stories().work("echo 'echo Hello $1' >greet.sh", 0, approved(1));
    // Six blocks, and the seventh time it may go.
    let defiant = std::iter::repeat_with(|| Turn::text("Approved.")).take(7);
    let cheat: Vec<Turn> = [approve].into_iter().chain(defiant).collect();
    let submit = workshop.stories().work("true", 0, submitted());
    let honest = vec![submit, Turn::text("Submitted.")];
    let (second, model) = (cheat.len(), model([cheat, honest]));
    let told = workshop.run(&model, &["-n", "2"]);

    assert_eq!(told.exit_code, Some(1), "{told}");
    assert_eq!(blocks(&told), 6, "{told}");
    assert_eq!(told.hook_answers().last(), Some(&"warned"), "{told}");
    assert_eq!(told.all("changes-reverted").len(), 1, "{told}");
    let findings = told.all("changes-reverted")[0]["findings"].to_string();
    assert!(findings.contains(OFFENCE), "{findings}");
    assert_eq!(told.each("iteration-ended", "status"), ["reverted", "accepted"]);
    assert_eq!(told.each("iteration-started", "mode"), ["implement"; 2]);
    let requests = model.requests();
    assert!(is_told(&requests[second]), "the next prompt says what was wrong");
    assert!(requests[second].mentions("iteration 2 of 2: implement US-001") > 0);
    assert_eq!(workshop.list()["userStories"][0]["reviewStatus"], "needs_review");
}
