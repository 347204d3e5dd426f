//! A story with a proof, and an agent that wants it counted as done: each cheat is refused, or reported to the review.
//! The review approves everything, so only the runner stands in its way.

mod files;
mod results;
mod specify;
mod tests_of_a_command;
mod tests_of_node;

use events::{LoopEvent, ProofPhase, ProofRun};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::story;

const STORY: &str = "US-001";

const FILE: &str = "tests/test_sums.py";

const PROOF: &str = "ralph/proofs/US-001.json";

const TEST: &str = "import unittest


class SumTest(unittest.TestCase):
    def test_empty(self):
        from sums import total
        self.assertEqual(total([]), 0)

    def test_two(self):
        from sums import total
        self.assertEqual(total([1, 2]), 3)
";

/// Would pass with any work.
const EASY: &str = "import unittest


class SumTest(unittest.TestCase):
    def test_empty(self):
        import sums

    def test_two(self):
        import sums
";

const WRONG: &str = "def total(numbers):\n    return -1\n";

const RIGHT: &str = "def total(numbers):\n    return sum(numbers)\n";

const TESTS: [[&str; 3]; 2] =
    [["unittest", FILE, "SumTest.test_empty"], ["unittest", FILE, "SumTest.test_two"]];

fn mapped() -> Vec<Vec<[&'static str; 3]>> {
    TESTS.map(|test| vec![test]).to_vec()
}

fn honest_tests() -> Vec<Act> {
    vec![Act::specify([(FILE, TEST), ("tests/__init__.py", "")], mapped())]
}

/// Wrong work, and then this script; all of it committed and submitted.
fn cheat(script: &str) -> Vec<Act> {
    vec![
        Act::write("sums.py", WRONG),
        Act::bash(script),
        Act::submit("done"),
        Act::bash("git add -A && git commit -qm 'feat: sums' --allow-empty"),
    ]
}

/// The file as the whole work.
fn instead(work: &str) -> Vec<Act> {
    vec![Act::write("sums.py", work), Act::submit("done"), Act::commit("feat: sums")]
}

fn target(scenario: &Scenario) -> Project {
    let mut story = story(STORY);
    story["acceptanceCriteria"] = json!(["an empty list has the sum 0", "two numbers are added"]);
    let project = Project::new([story]).flags(["--proof", "--no-sandbox"]);
    project.write(".gitignore", format!("{}__pycache__/\n", project.read(".gitignore")));
    // Many cheats in a row are not given up.
    let project = project.settings(&json!({"attempts": {"most": 100, "stuckAfter": 100}}));
    project.agent(scenario);
    project
}

/// Every session that works on the story does this; the tests are honest.
fn working(acts: Vec<Act>) -> Scenario {
    Scenario::new()
        .rule(When::mode(Mode::Specify), honest_tests())
        .rule(When::mode(Mode::Implement), acts.clone())
        .rule(When::mode(Mode::ReviewFix), acts)
}

/// A project whose tests are written, for cheats one after the other.
fn specified() -> Project {
    let project = target(&working(Vec::new()));
    assert_eq!(next_session(&project).assignments(), ["specify US-001"]);
    project
}

/// The next cheat is not counted, and an event says why.
#[track_caller]
fn refused<'p>(project: &'p Project, acts: Vec<Act>, reported: &str) -> Outcome<'p> {
    project.agent(&working(acts));
    let run = next_session(project);
    assert_not_counted(&run, reported);
    run
}

/// One more session of the same run.
#[track_caller]
fn next_session(project: &Project) -> Outcome<'_> {
    // Python would take equally long work of the same second for that of the session before.
    for folder in ["__pycache__", "tests/__pycache__"] {
        let _ = std::fs::remove_dir_all(project.path().join(folder));
    }
    let run = if project.has(".ralph/state.json") {
        let before = project.state()["counters"]["iterations"].as_u64().unwrap();
        project.run(["--resume", "-n", &(before + 1).to_string()])
    } else {
        project.run(["-n", "1"])
    };
    assert_eq!(run.assignments().len(), 1, "{}", run.stderr);
    run
}

#[track_caller]
fn assert_not_counted(run: &Outcome<'_>, reported: &str) {
    assert_ne!(run.code, Some(0), "{reported}: {:#?}", run.events);
    let counts =
        |event: &LoopEvent| matches!(event, LoopEvent::StoryStatusChanged { passes: true, .. });
    assert!(!run.events.iter().any(counts), "{reported}: {:#?}", run.events);
    assert_eq!(run.project.story(STORY)["passes"], false, "{reported}");
    run.assert_event(reported);
}

/// The tests ran in this phase without being accepted.
#[track_caller]
fn assert_runs(run: &Outcome<'_>, phase: ProofPhase, case: &str) {
    assert!(proof_runs(run).iter().any(|ran| ran.phase == phase), "{case}: {:#?}", run.events);
}

fn proof_runs<'r>(run: &'r Outcome<'_>) -> Vec<&'r ProofRun> {
    let runs = run.events.iter().filter_map(|event| match event {
        LoopEvent::ProofRan(ran) => Some(ran),
        _ => None,
    });
    runs.collect()
}

/// The prompt of the first review.
#[track_caller]
fn review_prompt(run: &Outcome<'_>) -> String {
    let all = run.assignments();
    let review = all.iter().position(|it| it.starts_with("review "));
    let review = review.unwrap_or_else(|| panic!("no review: {all:?} {:#?}", run.events));
    run.prompt(review + 1)
}

fn entry(criterion: &str, evidence: (&str, Value)) -> Value {
    let digest = tasks::Sha256Digest::of(criterion).to_string();
    let mut entry = json!({"digest": digest, "criterion": criterion});
    entry[evidence.0] = evidence.1;
    entry
}
