//! A story that fails its check is given up, and the next one gets done.

use serde_json::json;
use simulator::Turn;

use crate::model;
use crate::run_setup::RunSetup;
use crate::stories::{APPROVED, approved, submitted};

/// A test that fails with this message.
fn failing(words: &str) -> String {
    format!("mkdir -p tests; echo 'echo \"FAIL {words}\"; exit 1' >tests/greet.sh")
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn its_work_is_on_a_branch_and_the_next_story_is_done() {
    let setup = RunSetup::with_plugin();
    let attempt = |words: &str| {
        let submit = setup.stories().work(&failing(words), 0, submitted());
        vec![submit, Turn::text("Submitted.")]
    };
    let mut others = setup.stories();
    // The notes of the first story must not change with the second one.
    others.work("true", 0, json!({"notes": submitted()["notes"]}));
    let bye = others.work("echo 'echo Bye' >bye.sh", 1, submitted());
    let review = others.work("true", 1, approved(1));
    let model = model([
        attempt("greet: no name"),
        attempt("greet: wrong name"),
        vec![bye, Turn::text("Submitted.")],
        vec![review, Turn::text(APPROVED)],
    ]);
    let output = setup.run(&model, &["--max-attempts", "2"]);

    assert_eq!(output.exit_code, Some(1), "{output}");
    assert_eq!(output.each("run-ended", "end"), ["stories-failed"], "{output}");
    assert_eq!(output.each("attempt-failed", "gate"), ["tests"; 2], "{output}");
    let statuses = ["checks-failed", "checks-failed", "accepted", "accepted"];
    assert_eq!(output.each("iteration-ended", "status"), statuses, "{output}");
    let requests = model.requests();
    assert!(requests[2].mentions("FAIL greet: no name") > 0, "the second attempt is output why");
    assert_eq!(requests[4].mentions("FAIL greet"), 0, "the other story has its own worries");

    let project = setup.project();
    let aside = &output.all("story-given-up")[0]["givenUp"];
    let branch = aside["branch"].as_str().unwrap();
    assert!(branch.starts_with("wip/ralph-fail-US-001-"), "{branch}");
    let left = test_repo::git(&project, &["show", &format!("{branch}:tests/greet.sh")]);
    assert!(left.contains("wrong name"), "{left}");
    assert!(!project.join("tests/greet.sh").exists() && project.join("bye.sh").exists());
    let stories = setup.list()["userStories"].clone();
    assert_eq!((&stories[0]["passes"], &stories[1]["passes"]), (&false.into(), &true.into()));
}
