//! Sessions that write the tests of a story.

use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use tasks::Sha256Digest;

use crate::project::Project;

fn proof(project: &Project) -> Value {
    serde_json::from_str(&project.read("repo/ralph/proofs/US-001.json")).unwrap()
}

#[test]
fn a_scenario_says_which_tests_prove_which_criterion() {
    let project = Project::new("specify", json!(null));
    let specify = Act::specify(
        [("tests/a.sh", "exit 1\n")],
        [vec![["custom", "tests/a.sh", "one"], ["custom", "tests/a.sh", "two"]]],
    );
    let scenario = Scenario::new().rule(When::mode(Mode::Specify), [specify, Act::finish("ok")]);
    assert!(project.play(&scenario).complete().status.success());
    let test = |name| json!({"command": "custom", "file": "tests/a.sh", "name": name});
    assert_eq!(
        proof(&project),
        json!({"story": "US-001", "criteria": [{
            "digest": Sha256Digest::of("it's there"), "criterion": "it's there",
            "tests": [test("one"), test("two")]
        }]})
    );
    let changed = project.git(&["show", "--name-only", "--format=", "HEAD"]);
    assert_eq!(changed, "ralph/proofs/US-001.json\ntests/a.sh");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn without_a_scenario_every_criterion_is_left_to_the_reviewer() {
    let project = Project::new("specify", json!(null));
    assert!(project.run().complete().status.success());
    assert_eq!(proof(&project)["criteria"][0]["manual"], "simulated");
    assert_eq!(project.story(0)["reviewStatus"], json!(null));
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}
