//! A story that cannot pass its check is set aside, and the next one gets done.

use serde_json::json;
use simulator::Turn;

use crate::model;
use crate::stories::{APPROVED, approved, submitted};
use crate::workshop::Workshop;

/// A test that fails in these words.
fn failing(words: &str) -> String {
    format!("mkdir -p tests; echo 'echo \"FAIL {words}\"; exit 1' >tests/greet.sh")
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn its_work_is_on_a_branch_and_the_next_story_is_done() {
    let workshop = Workshop::with_plugin();
    let attempt = |words: &str| {
        let submit = workshop.stories().work(&failing(words), 0, submitted());
        vec![submit, Turn::text("Submitted.")]
    };
    let mut others = workshop.stories();
    // What the first story's sessions noted is not the second story's to change.
    others.work("true", 0, json!({"notes": submitted()["notes"]}));
    let bye = others.work("echo 'echo Bye' >bye.sh", 1, submitted());
    let review = others.work("true", 1, approved(1));
    let model = model([
        attempt("greet: no name"),
        attempt("greet: wrong name"),
        vec![bye, Turn::text("Submitted.")],
        vec![review, Turn::text(APPROVED)],
    ]);
    let told = workshop.run(&model, &["--max-attempts", "2"]);

    assert_eq!(told.exit_code, Some(1), "{told}");
    assert_eq!(told.each("run-ended", "end"), ["stories-failed"], "{told}");
    assert_eq!(told.each("attempt-failed", "gate"), ["tests"; 2], "{told}");
    let statuses = ["checks-failed", "checks-failed", "accepted", "accepted"];
    assert_eq!(told.each("iteration-ended", "status"), statuses, "{told}");
    let requests = model.requests();
    assert!(requests[2].mentions("FAIL greet: no name") > 0, "the second attempt is told why");
    assert_eq!(requests[4].mentions("FAIL greet"), 0, "the other story has its own worries");

    let project = workshop.project();
    let aside = &told.all("story-given-up")[0]["givenUp"];
    let branch = aside["branch"].as_str().unwrap();
    assert!(branch.starts_with("wip/ralph-fail-US-001-"), "{branch}");
    let left = test_repo::git(&project, &["show", &format!("{branch}:tests/greet.sh")]);
    assert!(left.contains("wrong name"), "{left}");
    assert!(!project.join("tests/greet.sh").exists() && project.join("bye.sh").exists());
    let stories = workshop.list()["userStories"].clone();
    assert_eq!((&stories[0]["passes"], &stories[1]["passes"]), (&false.into(), &true.into()));
}
