//! A story that fails its check gets a stronger model, and then two fresh attempts, of which a review chooses one.

use simulator::Turn;

use crate::model;
use crate::run_setup::RunSetup;
use crate::stories::{APPROVED, Stories, approved, submitted};

const SETTINGS: &str = r#"{
    "attempts": {"most": 1},
    "escalation": {"models": ["claude-opus-5-5"], "candidates": 2}
}"#;

fn attempt(setup: &RunSetup, work: &str) -> Vec<Turn> {
    vec![setup.stories().work(work, 0, submitted()), Turn::text("Submitted.")]
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_stronger_model_and_then_the_chosen_candidate_continue_the_story() {
    let setup = RunSetup::with_plugin();
    setup.put(".ralph/settings.json", SETTINGS);
    let failing = "mkdir -p tests; echo 'exit 1' >tests/greet.sh";
    let greets = |words: &str| attempt(&setup, &format!("echo 'echo {words} $1' >greet.sh"));
    let mut done: Stories = setup.stories();
    done.work("true", 0, submitted());
    let review = done.work("true", 0, approved(1));
    let model = model([
        attempt(&setup, failing),
        attempt(&setup, failing),
        greets("Hi"),
        greets("Hello"),
        vec![Turn::text("The second is right.\n\n<candidate>2</candidate>")],
        vec![review, Turn::text(APPROVED)],
    ]);
    let args = ["--model", "claude-sonnet-5", "-n", "4", "--base-checks", "off"];
    let output = setup.run(&model, &args);

    let tiers = output.each("escalated", "tier");
    assert_eq!(tiers, ["stronger-model", "candidates"], "{output}");
    let ended = output.all("candidate-ended");
    assert!(ended.len() == 2 && ended.iter().all(|event| event["passes"] == true), "{output}");
    assert_eq!(output.all("candidate-chosen")[0]["number"], 2, "{output}");
    let statuses = ["checks-failed", "checks-failed", "accepted", "accepted"];
    assert_eq!(output.each("iteration-ended", "status"), statuses, "{output}");
    let calls = output.each("agent-called", "command");
    let models: Vec<bool> = calls.iter().map(|call| call.contains("claude-opus-5-5")).collect();
    assert_eq!(models, [false, true, true, true, false, false], "{output}");
    let project = setup.project();
    let greeting = std::fs::read_to_string(project.join("greet.sh")).unwrap();
    assert_eq!(greeting, "echo Hello $1\n");
    assert!(!project.join("tests/greet.sh").exists(), "the failed work is gone");
    assert_eq!(setup.list()["userStories"][0]["passes"], true);
    let requests = model.requests();
    let choice = requests.iter().find(|request| request.mentions("# Choose a candidate") > 0);
    assert!(choice.is_some_and(|request| request.mentions("candidate 2: `git diff") > 0));
}
