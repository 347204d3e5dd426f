//! The same for tests that a command of the user runs: the files that it names stay as they are.

use events::ProofPhase;
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use super::{assert_runs, next_session, refused, target};
use crate::harness::Project;

/// A test is a script, and its name is its path.
const TESTS: [&str; 2] = ["tests/empty.sh", "tests/two.sh"];

const RUNNER: &str = "report=$1; shift
echo '<testsuites>' > \"$report\"
for test; do
  sh \"$test\" && failure= || failure='<failure message=\"expected another sum\"/>'
  echo \"<testcase name='$test'>$failure</testcase>\" >> \"$report\"
done
echo '</testsuites>' >> \"$report\"
";

fn specified_with_a_command(run: &str, files: &[(&str, &str)]) -> Project {
    let sum = |sum: u64, numbers: &str| format!("[ \"$(sh total.sh {numbers})\" = {sum} ]\n");
    let files_of_tests = [(TESTS[0], sum(0, "")), (TESTS[1], sum(3, "1 2"))];
    let tests = TESTS.map(|test| vec![["custom", test, test]]);
    let specify =
        Act::specify(files_of_tests.each_ref().map(|(path, text)| (*path, text.as_str())), tests);
    let project = target(&Scenario::new().rule(When::mode(Mode::Specify), [specify]));
    let attempts = json!({"most": 100, "stuckAfter": 100});
    let project = project.settings(&json!({"attempts": attempts, "proof": {"run": run}}));
    for (path, text) in files {
        project.write(path, text);
    }
    test_repo::commit_all(&project.path());
    let first = next_session(&project);
    assert_eq!(first.assignments(), ["specify US-001"]);
    first.assert_event("accepted: true");
    project
}

/// A report in which every test passes.
fn forging() -> String {
    RUNNER.replace("sh \"$test\" &&", "true &&")
}

fn cheat(path: &str, text: &str) -> Vec<Act> {
    vec![
        Act::write("total.sh", "echo -1\n"),
        Act::write(path, text),
        Act::submit("done"),
        Act::bash("git add -A; git commit -qm 'feat: sums'"),
    ]
}

#[test]
fn the_files_that_the_command_names_stay_as_they_are() {
    let project =
        specified_with_a_command("sh ./ci/run.sh {junit} {tests}", &[("ci/run.sh", RUNNER)]);
    let reported = "ci/run.sh decides which tests run or how";
    let run = refused(&project, cheat("ci/run.sh", &forging()), reported);
    assert_runs(&run, ProofPhase::Green, "the script");
}

#[test]
fn the_makefile_of_the_command_stays_as_it_is() {
    let recipe = |script: &str| format!("one:\n\t@sh {script} \"$(REPORT)\" $(TESTS)\n");
    let files =
        [("ci/run.sh", RUNNER), ("ci/forge.sh", &forging()), ("Makefile", &recipe("ci/run.sh"))];
    let command = "make -s one REPORT={junit} TESTS=\"$(echo {tests})\"";
    let project = specified_with_a_command(command, &files);
    let reported = "Makefile decides which tests run or how";
    let run = refused(&project, cheat("Makefile", &recipe("ci/forge.sh")), reported);
    assert_runs(&run, ProofPhase::Green, "the Makefile");
}
