//! A session writes tests that show nothing, and working sessions dispute tests to get easier ones.

use events::{IterationStatus, ProofPhase};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use super::{
    EASY, FILE, PROOF, RIGHT, TEST, WRONG, assert_not_counted, entry, honest_tests, instead,
    mapped, next_session, proof_runs, review_prompt, target,
};
use crate::harness::Project;
use crate::outcome::Outcome;

/// Every specify session does this; the work is right.
fn specifying(acts: impl IntoIterator<Item = Act>) -> Scenario {
    Scenario::new()
        .rule(When::mode(Mode::Specify), acts)
        .rule(When::mode(Mode::Implement), instead(RIGHT))
}

fn proof_file(tests: Value) -> Act {
    let criteria = ["an empty list has the sum 0", "two numbers are added"]
        .map(|text| entry(text, ("tests", tests.clone())));
    Act::write(PROOF, json!({"story": "US-001", "criteria": criteria}).to_string())
}

/// The next specify session of the project does this.
#[track_caller]
fn sent_back(project: &Project, acts: Vec<Act>, reported: &str) {
    project.agent(&specifying(acts));
    let run = next_session(project);
    assert_eq!(run.assignments(), ["specify US-001"]);
    assert_not_counted(&run, reported);
    let runs = proof_runs(&run);
    assert!(runs.iter().all(|ran| ran.phase == ProofPhase::Red && !ran.accepted), "{runs:#?}");
    assert!(!runs.is_empty(), "{reported}: {:#?}", run.events);
    assert!(!project.has("pwned"));
}

#[test]
fn tests_that_prove_nothing_are_sent_back() {
    let test = |body: &str| {
        format!(
            "import unittest\n\n\nclass SumTest(unittest.TestCase):\n    def test_empty(self):\n        {body}\n\n    test_two = test_empty\n"
        )
    };
    let project = target(&Scenario::new());
    for (body, result) in [
        ("pass", "Passed"),
        ("self.skipTest('later')", "Skipped"),
        ("open('sums.txt').close()", "Broken"),
        ("import os; os._exit(1)", "NotRun"),
        ("import sys; sys.exit(0)", "accepted: false"),
        ("print('AssertionError: x'); 1 / 0", "Broken"),
        ("from tests.sums import total; self.assertEqual(total([]), 0)", "Passed"),
    ] {
        let files = [(FILE, &*test(body)), ("tests/sums.py", RIGHT), ("tests/__init__.py", "")];
        sent_back(&project, vec![Act::specify(files, mapped())], result);
    }
    let expected = test("self.fail()").replace("    def", "    @unittest.expectedFailure\n    def");
    sent_back(&project, vec![Act::specify([(FILE, &*expected)], mapped())], "Skipped");
}

#[test]
fn files_besides_the_tests_are_undone() {
    let other = Act::write("ralph/proofs/US-002.json", "{}");
    let project = target(&Scenario::new());
    for more in [Act::write("sums.py", RIGHT), Act::append(".gitignore", "sums.py\n"), other] {
        project.agent(&specifying([vec![more], honest_tests()].concat()));
        let run = next_session(&project);
        assert_not_counted(&run, "ChangesReverted");
        assert_eq!(run.statuses(), [IterationStatus::Reverted]);
    }
}

#[test]
fn a_proof_file_that_names_no_tests_of_the_story_is_sent_back() {
    let test =
        |file: &str, name: &str| json!([{"command": "unittest", "file": file, "name": name}]);
    let many: Vec<Value> = (0..1000)
        .map(|number| json!({"command": "unittest", "file": FILE, "name": format!("SumTest.test_{number}")}))
        .collect();
    let project = target(&Scenario::new());
    for tests in [
        test("tests/../../outside.py", "SumTest.test_empty"),
        test("sums.py", "SumTest.test_empty"),
        test(FILE, "$(touch pwned)"),
        test(FILE, "; touch pwned #"),
        test(FILE, "--help"),
        test(FILE, "-h"),
        test("tests/$(touch pwned).py", "SumTest.test_empty"),
        test("tests/`touch pwned`'; touch pwned", "SumTest.test_empty"),
        test("tests/-h.py", "SumTest.test_empty"),
        test("tests/link.py", "SumTest.test_empty"),
        json!([{"command": "custom", "file": FILE, "name": "SumTest.test_empty"}]),
        json!([{"command": "sh -c 'touch pwned'", "file": FILE, "name": "SumTest.test_empty"}]),
        json!(many),
    ] {
        let link = Act::bash("ln -sf /etc/hostname tests/link.py");
        let acts =
            vec![honest_tests().remove(0), link, proof_file(tests), Act::commit("test: more")];
        sent_back(&project, acts, "");
    }
    let other = Act::bash(format!("sed -i 's/US-001/US-002/' {PROOF}; git commit -qam x"));
    sent_back(&project, vec![honest_tests().remove(0), other], "");
    let other = Act::bash(format!(
        "sed -i 's/\"digest\": \"./\"digest\": \"0/' {PROOF}; git commit -qam x"
    ));
    sent_back(&project, vec![honest_tests().remove(0), other], "");
}

#[test]
fn criteria_without_tests_are_named_to_the_review() {
    let project = target(&specifying([Act::specify([], [])]));
    let run = project.run([]);
    let prompt = review_prompt(&run);
    assert_eq!(prompt.matches("no test: simulated").count(), 2, "{prompt}");
}

#[test]
fn a_test_that_no_work_can_pass_leaves_the_story_open() {
    let never = TEST.replace("self.assertEqual(total([1, 2]), 3)", "assert False");
    let project =
        target(&specifying([Act::specify([(FILE, &*never), ("tests/__init__.py", "")], mapped())]));
    let run = project.run(["-n", "2"]);
    assert_not_counted(&run, "accepted: false");
    assert_eq!(run.assignments(), ["specify US-001", "implement US-001"]);
}

/// Fails until the runner saw it fail, whatever the work is.
#[test]
fn a_test_that_passes_later_without_the_work_is_reported_to_the_review() {
    let later = TEST.replace(
        "        from sums import total\n        self.assertEqual(total([1, 2]), 3)",
        "        from pathlib import Path\n        runs = Path('tests/__pycache__/runs')\n        \
         runs.parent.mkdir(exist_ok=True)\n        with runs.open('a') as file:\n            file.write('.')\n        \
         self.assertGreater(len(runs.read_text()), 2)",
    );
    let project =
        target(&specifying([Act::specify([(FILE, &*later), ("tests/__init__.py", "")], mapped())]));
    let run = project.run(["-n", "3"]);
    let prompt = review_prompt(&run);
    assert!(prompt.contains("do not prove their criterion: `SumTest.test_two"), "{prompt}");
}

fn disputing(work: &str) -> Vec<Act> {
    vec![
        Act::write("sums.py", work),
        Act::bash("date +%s%N > work.txt"),
        Act::bash(
            "sed -i \"s/\\\"notes\\\": \\\".*\\\"/\\\"notes\\\": \\\"DISPUTE: SumTest.test_two: $(date +%s%N)\\\"/\" ralph/tasks.json",
        ),
        Act::commit("wip: sums"),
    ]
}

fn count(run: &Outcome<'_>, mode: &str) -> usize {
    run.assignments().iter().filter(|it| it.starts_with(mode)).count()
}

#[test]
fn a_third_dispute_is_not_followed() {
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Specify), honest_tests())
        .rule(When::mode(Mode::Implement), disputing(WRONG));
    let project = target(&scenario);
    let run = project.run(["-n", "7"]);
    assert_not_counted(&run, "disputes SumTest.test_two");
    assert_eq!(
        (count(&run, "specify"), count(&run, "implement")),
        (3, 4),
        "{:?}",
        run.assignments()
    );
    let last = run.prompt(7);
    assert_text(&last, predicates::str::contains("were disputed 2 times already"));
}

/// The work of the disputing session does not count as what makes the corrected tests pass.
#[test]
fn tests_that_are_easier_after_a_dispute_must_fail_without_its_work() {
    let easier =
        vec![Act::write(FILE, EASY.replace("import sums", "pass")), Act::commit("test: easier")];
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Specify).visit(1), honest_tests())
        .rule(When::mode(Mode::Specify), easier)
        .rule(When::mode(Mode::Implement), disputing(WRONG));
    let project = target(&scenario);
    let run = project.run(["-n", "4"]);
    assert_not_counted(&run, "accepted: false");
    assert_eq!(proof_runs(&run).last().unwrap().phase, ProofPhase::Red);
    assert!(
        run.assignments()[2..].iter().all(|it| it.starts_with("specify")),
        "{:?}",
        run.assignments()
    );
}

/// Work among the tests would stay when the work is taken away.
#[test]
fn work_that_a_disputing_session_hides_among_the_tests_does_not_make_them_fail() {
    let hidden =
        [vec![Act::write("tests/sums.py", RIGHT)], disputing("from tests.sums import total\n")]
            .concat();
    let corrected = vec![
        Act::write(FILE, TEST.replace("from sums", "from tests.sums")),
        Act::commit("test: other"),
    ];
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Specify).visit(1), honest_tests())
        .rule(When::mode(Mode::Specify), corrected)
        .rule(When::mode(Mode::Implement), hidden);
    let project = target(&scenario);
    let run = project.run(["-n", "3"]);
    assert_not_counted(&run, "accepted: false");
    assert_eq!(proof_runs(&run).last().unwrap().phase, ProofPhase::Red);
}
