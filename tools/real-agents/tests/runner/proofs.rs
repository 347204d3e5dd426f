//! One session writes the test of a story, a second one makes it pass and cannot touch it, and a third one reviews both.

use serde_json::json;
use simulator::Turn;
use tasks::Sha256Digest;

use crate::model;
use crate::run_setup::RunSetup;
use crate::stories::{APPROVED, approved, submitted};

const TEST: &str = "import subprocess
import unittest


class GreetTest(unittest.TestCase):
    def test_greets_by_name(self):
        printed = subprocess.run(['sh', 'greet.sh', 'Ada'], capture_output=True, text=True).stdout
        self.assertEqual(printed, 'Hello Ada\\n')
";

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_story_is_proven_by_a_test_of_another_session() {
    let setup = RunSetup::with_plugin();
    let list = setup.list();
    let criterion = list["userStories"][0]["acceptanceCriteria"][0].as_str().unwrap();
    let test = json!({
        "command": "unittest", "file": "tests/test_greet.py", "name": "GreetTest.test_greets_by_name"
    });
    let digest = Sha256Digest::of(criterion).to_string();
    let criteria = json!([{"digest": digest, "criterion": criterion, "tests": [test]}]);
    let proof = json!({"story": "US-001", "criteria": criteria});
    let write = Turn::bash(format!(
        "mkdir -p tests ralph/proofs; touch tests/__init__.py; \
         printf '__pycache__/\\n' >tests/.gitignore\n\
         cat >tests/test_greet.py <<'END'\n{TEST}END\n\
         cat >ralph/proofs/US-001.json <<'END'\n{proof}\nEND\ngit add -A && git commit -qm 'test: [US-001]'"
    ));
    let mut stories = setup.stories();
    let work = "echo 'echo Hello $1' >greet.sh";
    let greets = stories.work(work, 0, submitted());
    let review = stories.work("true", 0, approved(1));
    let cheat = Turn::bash("echo 'import unittest' >tests/test_greet.py");
    let model = model([
        vec![write, Turn::text("The test fails, as it must.")],
        vec![cheat, greets, Turn::text("Submitted.")],
        vec![review, Turn::text(APPROVED)],
    ]);
    let output = setup
        .run(&model, &["--proof", "--base-checks", "off", "--no-sandbox", "--story", "US-001"]);

    assert_eq!(output.exit_code, Some(0), "{output}");
    let modes = ["specify", "implement", "review"];
    assert_eq!(output.each("iteration-started", "mode"), modes, "{output}");
    let phases = output.each("proof-ran", "phase");
    assert_eq!(phases, ["red", "green", "without-work", "green"], "{output}");
    assert!(output.all("proof-ran").iter().all(|ran| ran["accepted"] == true), "{output}");
    // command-guard refused the change of the test.
    let test = std::fs::read_to_string(setup.project().join("tests/test_greet.py")).unwrap();
    assert_eq!(test, TEST);
    let requests = model.requests();
    assert!(requests[0].mentions(&digest) > 0, "the prompt has the digest of the criterion");
    let blocked = output.hook_answers().iter().filter(|answer| **answer == "blocked").count();
    assert_eq!(blocked, 1, "{output}");
    assert_eq!(setup.list()["userStories"][0]["passes"], true);
}
