//! A specify iteration writes tests only.

use serde_json::json;

use crate::harness::{Project, story};

fn specifying() -> Project {
    let project = Project::new();
    project.write_tasks(&crate::harness::list([story("US-001")]));
    project.write("src/x.py", "1");
    project.commit_all();
    let mut marker = project.marker("specify");
    marker["storyId"] = json!("US-001");
    marker["checkpoint"] = json!(project.git(&["rev-parse", "HEAD"]).trim());
    marker["testPaths"] = json!(["tests/**", "!tests/fixed/**"]);
    project.write_marker(&marker);
    project
}

#[test]
fn tests_the_proof_file_and_notes_may_change() {
    let project = specifying();
    project.write("tests/test_x.py", "def test_x(): assert x() == 1");
    project.write("ralph/proofs/US-001.json", "{}");
    project.write("ralph/progress.txt", "two tests");
    project.agent_edits(|list| list["userStories"][0]["notes"] = json!("two tests"));
    project.stop().assert_allowed("no findings");
    project.write("tests/test_y.py", "");
    project.stop().assert_blocked_for("untracked: tests/test_y.py");
}

#[test]
fn every_other_file_blocks_committed_or_not() {
    let project = specifying();
    project.write("tests/test_x.py", "");
    project.write("src/x.py", "2");
    project.write("tests/fixed/data.txt", "");
    project.write("ralph/proofs/US-002.json", "{}");
    project.commit_all();
    project.write("src/new.py", "3");
    let answer = project.stop();
    let reason = answer.reason();
    for line in
        ["- ralph/proofs/US-002.json", "- src/new.py", "- src/x.py", "- tests/fixed/data.txt"]
    {
        assert!(reason.lines().any(|it| it == line), "{reason}");
    }
    assert!(!reason.contains("- tests/test_x.py"), "{reason}");
    answer.assert_blocked_for(
        "A specify iteration may change test files and ralph/proofs/US-001.json only. Restore these \
         files with `git checkout ",
    );
}

#[test]
fn the_story_may_not_be_submitted() {
    let project = specifying();
    project.agent_edits(|list| list["userStories"][0]["reviewStatus"] = json!("needs_review"));
    project.stop().assert_blocked_for("a specify iteration only writes tests. Restore it.");
}

#[test]
fn a_changed_test_of_the_proof_is_to_be_disputed() {
    let project = specifying();
    let mut marker = project.marker("implement");
    marker["storyId"] = json!("US-001");
    let digest = tasks::Sha256Digest::of("assert x() == 1");
    marker["protectedFiles"] =
        json!({"tests/test_x.py": digest, "ralph/proofs/US-001.json": digest});
    project.write("ralph/proofs/US-001.json", "assert x() == 1");
    project.write("tests/test_x.py", "assert True");
    project.commit_all();
    project.write_marker(&marker);
    let answer = project.stop();
    answer.assert_blocked_for("tests/test_x.py: changed");
    answer.assert_blocked_for("`DISPUTE: <test>: <reason>`");
}
