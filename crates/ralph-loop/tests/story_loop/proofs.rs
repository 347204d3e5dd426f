//! Stories whose tests another session writes: the runner sees them fail, then pass, and counts nothing else.

use events::{LoopEvent, ProofPhase, ProofRun, RunEnd};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use tasks::Sha256Digest;

use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{fields, story};

const CHECK: &str = "python3 -m unittest discover -s tests -t .";

pub(crate) const TEST: &str = "import unittest\n\n\nclass SumTest(unittest.TestCase):\n    def test_empty(self):\n        from \
                    sums import total\n        self.assertEqual(total([]), 0)\n\n    def test_two(self):\n        from \
                    sums import total\n        self.assertEqual(total([1, 2]), 3)\n";

const WORK: &str = "def total(numbers):\n    return sum(numbers)\n";

const CRITERIA: [&str; 2] = ["an empty list has the sum 0", "two numbers are added"];

const WRITTEN: [&str; 3] = ["specify US-001", "implement US-001", "review US-001"];

fn proven_story() -> Value {
    let mut story = story("US-001");
    story["acceptanceCriteria"] = json!(CRITERIA);
    story
}

/// A proof file that maps each criterion to one of the tests.
fn proof(tests: [&str; 2]) -> Act {
    let test =
        |name: &str| json!({"command": "unittest", "file": "tests/test_sums.py", "name": name});
    let criterion = |(text, name): (&str, &str)| {
        let digest = Sha256Digest::of(text).to_string();
        json!({"digest": digest, "criterion": text, "tests": [test(name)]})
    };
    let criteria: Vec<Value> = CRITERIA.into_iter().zip(tests).map(criterion).collect();
    let file = json!({"story": "US-001", "criteria": criteria});
    Act::write("ralph/proofs/US-001.json", file.to_string())
}

const NAMES: [&str; 2] = ["SumTest.test_empty", "SumTest.test_two"];

fn specify(test: &str) -> Vec<Act> {
    vec![
        Act::write("tests/__init__.py", ""),
        Act::write("tests/test_sums.py", test),
        proof(NAMES),
        Act::commit("test: [US-001]"),
    ]
}

pub(crate) fn implement(more: impl IntoIterator<Item = Act>) -> Vec<Act> {
    let mut acts = vec![Act::write("sums.py", WORK)];
    acts.extend(more);
    acts.extend([Act::submit("sums"), Act::commit("feat: [US-001]")]);
    acts
}

/// The rules of `more` count before those of an honest agent.
pub(crate) fn scenario(more: Scenario) -> Scenario {
    more.rule(When::mode(Mode::Specify), specify(TEST))
        .rule(When::mode(Mode::Implement), implement([]))
}

pub(crate) fn project<const N: usize>(checks: [&str; N], scenario: Scenario) -> Project {
    let project = Project::with_checks([proven_story()], checks).flags(["--proof", "--no-sandbox"]);
    project.write(".gitignore", "__pycache__/\n");
    project.write("tests/test_old.py", "import unittest\n\n\nclass OldTest(unittest.TestCase):\n    def test_old(self):\n        pass\n");
    project.git(&["add", "--all"]);
    project.git(&["commit", "-qm", "old tests"]);
    project.scenario(scenario)
}

fn proof_runs(run: &Outcome<'_>) -> Vec<ProofRun> {
    let runs = run.events.iter().filter_map(|event| match event {
        LoopEvent::ProofRan(ran) => Some(ran.clone()),
        _ => None,
    });
    runs.collect()
}

/// Phase, and whether it was accepted.
pub(crate) fn phases(run: &Outcome<'_>) -> Vec<(ProofPhase, bool)> {
    proof_runs(run).iter().map(|ran| (ran.phase, ran.accepted)).collect()
}

use ProofPhase::{Green, Red, WithoutWork};

#[test]
fn a_story_goes_from_red_to_green_and_its_tests_fail_again_without_the_work() {
    let project = project([CHECK], scenario(Scenario::new()));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
    assert_eq!(run.assignments(), WRITTEN);
    assert_eq!(phases(&run), [(Red, true), (Green, true), (WithoutWork, true), (Green, true)]);
    let red = &proof_runs(&run)[0];
    assert_eq!(red.criteria.iter().map(|it| it.criterion.as_str()).collect::<Vec<_>>(), CRITERIA);
    assert_eq!(project.read("sums.py"), WORK);
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

/// The problems of the newest run of tests in this phase.
fn complaints(run: &Outcome<'_>, phase: ProofPhase) -> String {
    let runs = proof_runs(run);
    let of_phase = runs.iter().rfind(|ran| ran.phase == phase && !ran.accepted);
    let of_phase = of_phase.unwrap_or_else(|| panic!("{phase:?}: {runs:?}"));
    let tests = of_phase.unexpected().map(|it| format!("{} {} {}", it.name, it.result, it.message));
    of_phase.problems.iter().cloned().chain(tests).collect::<Vec<_>>().join("\n")
}

/// The first specify session writes this; the second one is honest.
#[track_caller]
fn sent_back(test: &str) -> String {
    let first = When::mode(Mode::Specify).visit(1);
    let project = project([CHECK], scenario(Scenario::new().rule(first, specify(test))));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.assignments(), [&["specify US-001"], &WRITTEN[..]].concat());
    let prompt = std::fs::read_to_string(run.folder(2).join("prompt.md")).unwrap();
    assert!(prompt.contains("The proof of the story is not accepted"), "{prompt}");
    complaints(&run, Red)
}

#[test]
fn a_test_that_passes_without_the_work_is_sent_back() {
    let passing = TEST.replace("self.assertEqual(total([]), 0)", "pass").replacen(
        "from sums import total\n        ",
        "",
        1,
    );
    let text = sent_back(&passing);
    assert!(text.contains("SumTest.test_empty passed") && !text.contains("test_two"), "{text}");
}

#[test]
fn a_test_with_a_syntax_error_is_sent_back() {
    let text = sent_back(&TEST.replace("total([]), 0)", "total([]), 0"));
    assert!(text.contains("is broken"), "{text}");
}

#[test]
fn a_test_that_fails_for_another_reason_is_sent_back() {
    let text = sent_back(&TEST.replacen("from sums import total", "open('/does/not/exist')", 1));
    assert!(text.contains("SumTest.test_empty is broken"), "{text}");
}

#[test]
fn a_test_that_does_not_exist_is_sent_back() {
    let text = sent_back(&TEST.replace("test_two", "test_three"));
    assert_eq!(text, "tests/test_sums.py has no test SumTest.test_two");
}

#[test]
fn a_test_that_changes_its_result_is_sent_back() {
    let flaky = TEST.replacen(
        "from sums import total\n        self.assertEqual(total([]), 0)",
        "from pathlib import Path\n        runs = Path('tests/__pycache__/runs')\n        \
         with runs.open('a') as file:\n            file.write('.')\n        \
         self.assertTrue(len(runs.read_text()) % 2 == 0)",
        1,
    );
    let text = sent_back(&flaky);
    assert!(text.contains("SumTest.test_empty changed its result"), "{text}");
}

#[test]
fn a_check_that_fails_for_another_reason_than_the_new_tests_is_sent_back() {
    let breaks = [Act::write(
        "tests/test_old.py",
        "import unittest\n\n\nclass OldTest(unittest.TestCase):\n    def test_old(self):\n        self.fail('broken')\n",
    )];
    let more = [breaks.to_vec(), specify(TEST)].concat();
    let restored = [Act::bash("git checkout -q HEAD~1 -- tests/test_old.py")];
    let scenario = scenario(
        Scenario::new()
            .rule(When::mode(Mode::Specify).visit(1), more)
            .rule(When::mode(Mode::Specify).visit(2), [restored.to_vec(), specify(TEST)].concat()),
    );
    let project = Project::with_checks([proven_story()], ["python3 -m unittest tests.test_old"])
        .flags(["--proof", "--no-sandbox"]);
    project.write(".gitignore", "__pycache__/\n");
    project.write("tests/__init__.py", "");
    project.write("tests/test_old.py", "import unittest\n\n\nclass OldTest(unittest.TestCase):\n    def test_old(self):\n        pass\n");
    project.git(&["add", "--all"]);
    project.git(&["commit", "-qm", "old tests"]);
    let project = project.scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let text = complaints(&run, Red);
    assert!(text.contains("its output names none of the new tests"), "{text}");
}

#[test]
fn what_a_specify_session_changes_besides_tests_is_reverted() {
    let more = [vec![Act::write("sums.py", WORK)], specify(TEST)].concat();
    let first = When::mode(Mode::Specify).visit(1);
    let project = project([CHECK], scenario(Scenario::new().rule(first, more)));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.statuses()[0], events::IterationStatus::Reverted);
    assert_eq!(run.assignments(), [&["specify US-001"], &WRITTEN[..]].concat());
}

/// The test uses a file that the implementer writes among the tests.
#[test]
fn a_test_that_passes_without_the_work_afterwards_is_reported_to_the_review() {
    let test = TEST.replace("from sums", "from tests.support");
    let work = [Act::write("tests/support.py", WORK), Act::submit("x"), Act::commit("feat")];
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Specify), specify(&test))
        .rule(When::mode(Mode::Implement), work);
    let project = project([CHECK], scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(phases(&run)[2], (WithoutWork, false));
    let prompt = std::fs::read_to_string(run.folder(3).join("prompt.md")).unwrap();
    assert!(
        prompt.contains("so they do not prove their criterion: `SumTest.test_empty"),
        "{prompt}"
    );
}

#[test]
fn a_disputed_test_is_looked_at_again() {
    let wrong = TEST.replace("total([1, 2]), 3)", "total([1, 2]), 4)");
    let dispute = [
        Act::write("sums.py", WORK),
        Act::set_story([("notes", json!("DISPUTE: SumTest.test_two: 1 + 2 is 3"))]),
        Act::commit("wip: [US-001]"),
    ];
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Specify).visit(1), specify(&wrong))
        .rule(When::mode(Mode::Specify), specify(TEST))
        .rule(When::mode(Mode::Implement).visit(1), dispute)
        .rule(When::mode(Mode::Implement), [Act::submit("sums"), Act::commit("feat: [US-001]")]);
    let project = project([CHECK], scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(
        run.assignments(),
        [
            "specify US-001",
            "implement US-001",
            "specify US-001",
            "implement US-001",
            "review US-001"
        ]
    );
    // The work of the first session is taken away to see the corrected test fail.
    assert_eq!(phases(&run)[..2], [(Red, true), (Red, true)]);
    let prompt = std::fs::read_to_string(run.folder(3).join("prompt.md")).unwrap();
    assert!(prompt.contains("disputes SumTest.test_two: 1 + 2 is 3"), "{prompt}");
    assert_eq!(project.read("sums.py"), WORK);
}

/// The tests accept work that is wrong for other values.
#[test]
fn a_review_sends_a_weak_test_back_to_a_session_that_may_correct_it() {
    let weak = TEST.replace("self.assertEqual(total([1, 2]), 3)", "self.assertTrue(total([1, 2]))");
    let wrong = "def total(numbers):\n    return len(numbers)\n";
    let feedback = "len() is no sum.\nDISPUTE: SumTest.test_two: 1 and 2 are 3, not just anything";
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Specify).visit(1), specify(&weak))
        .rule(When::mode(Mode::Specify), specify(TEST))
        .rule(
            When::mode(Mode::Implement),
            [Act::write("sums.py", wrong), Act::submit("sums"), Act::commit("feat: [US-001]")],
        )
        .rule(
            When::mode(Mode::Review).visit(1),
            [Act::request_changes(feedback), Act::commit("review: [US-001]")],
        )
        .rule(
            When::mode(Mode::ReviewFix),
            [Act::write("sums.py", WORK), Act::Resubmit, Act::commit("fix: [US-001]")],
        );
    let project = project([CHECK], scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let again = ["specify US-001", "review-fix US-001", "review US-001"];
    assert_eq!(run.assignments(), [&WRITTEN[..], &again].concat());
    let prompt = std::fs::read_to_string(run.folder(4).join("prompt.md")).unwrap();
    assert!(prompt.contains("a review disputes SumTest.test_two: 1 and 2 are 3"), "{prompt}");
    assert_eq!(project.read("tests/test_sums.py"), TEST);
    assert_eq!(project.read("sums.py"), WORK);
}

#[test]
fn the_tests_of_a_proof_run_again_at_any_commit() {
    let project = project([CHECK], scenario(Scenario::new()));
    let base = project.git(&["rev-parse", "HEAD"]);
    project.run([]).assert_end(RunEnd::Complete);
    let red = project.git(&["log", "-1", "--format=%H", "--", "ralph/proofs/US-001.json"]);
    let again = |args: &[&str], code: i32| -> Value {
        let output = project.call(&[&["proof", "US-001", "--no-sandbox", "--json"], args].concat());
        assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        json
    };
    let results = |json: &Value| -> Vec<String> {
        let criteria = json["criteria"].as_array().unwrap().iter();
        let result = |one: &Value| one["tests"][0]["green"]["result"].as_str().unwrap().to_owned();
        criteria.map(result).collect()
    };
    let head = again(&["--at", "HEAD"], 0);
    assert_eq!(results(&head), ["passed", "passed"]);
    assert_eq!(head["at"], json!(project.git(&["rev-parse", "HEAD"])));
    // The tests are those of HEAD, which the commit does not have.
    assert_eq!(results(&again(&["--at", &base], 1)), ["failed", "failed"]);

    // Tests that were weakened later do not hide that the work broke.
    project.write("tests/test_sums.py", TEST.replace("assertEqual", "assertNotEqual"));
    project.write("sums.py", "def total(numbers):\n    return -1\n");
    project.git(&["commit", "-qam", "weaker"]);
    assert_eq!(results(&again(&["--at", "HEAD"], 0)), ["passed", "passed"]);
    let args = ["proof", "US-001", "--no-sandbox", "--at", "HEAD", "--tests-of", &red];
    let text = project.call(&args);
    assert_eq!(text.status.code(), Some(1), "{text:?}");
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("FAIL: test_two") && text.contains("just now, at "), "{text}");

    let refused = again(&["--at", "HEAD", "--tests-of", &base], 2);
    assert_eq!(
        refused["error"],
        json!(format!("ralph/proofs/US-001.json is not in commit {base}"))
    );
    assert!(refused["hint"].as_str().unwrap().contains("--tests-of"), "{refused}");
    let unknown = again(&["--at", "nothing"], 2);
    assert!(unknown["error"].as_str().unwrap().contains("git knows no commit"), "{unknown}");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    let clones = project.call(&["lanes", "--json"]);
    assert_eq!(String::from_utf8(clones.stdout).unwrap().trim(), "[]");
}

#[test]
fn a_story_can_do_without_a_proof() {
    let mut plain = story("US-002");
    plain["proof"] = json!("off");
    let project =
        Project::with_checks([proven_story(), plain], [CHECK]).flags(["--proof", "--no-sandbox"]);
    project.write(".gitignore", "__pycache__/\n");
    project.write("tests/test_old.py", "import unittest\n\n\nclass OldTest(unittest.TestCase):\n    def test_old(self):\n        pass\n");
    project.write("tests/__init__.py", "");
    project.git(&["add", "--all"]);
    project.git(&["commit", "-qm", "old tests"]);
    let of_first = |mode| When::mode(mode).story("US-001");
    let scenario = Scenario::new()
        .rule(of_first(Mode::Specify), specify(TEST))
        .rule(of_first(Mode::Implement), implement([]));
    let project = project.scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let all = run.assignments();
    assert_eq!(all, [&WRITTEN[..], &["implement US-002", "review US-002"]].concat());
}

/// A session of such a run could replace the tests.
#[test]
fn a_story_that_requires_a_proof_is_refused_without_reviews() {
    let mut story = proven_story();
    story["proof"] = json!("require");
    let project = Project::with_checks([story], [CHECK]);
    let run = project.run(["--skip-review"]);
    run.assert_exit(2);
    assert!(run.stderr.contains("story US-001 requires a proof"), "{}", run.stderr);
    assert_eq!(run.assignments(), Vec::<String>::new());
}
