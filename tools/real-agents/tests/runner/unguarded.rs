//! The runner detects and reports sessions without working hooks.

use simulator::Turn;

use crate::model;
use crate::run_output::RunOutput;
use crate::run_setup::RunSetup;
use crate::stories::submitted;

/// Runs one iteration that does this work and submits a story.
fn run(setup: &RunSetup, work: &str) -> RunOutput {
    let submit = setup.stories().work(work, 0, submitted());
    let turns = vec![submit, Turn::text("Submitted.")];
    setup.run(&model([turns]), &["-n", "1", "--no-sandbox"])
}

fn assert_reported(output: &RunOutput, why: &str) {
    let missing = output.each("hook-missing", "why");
    assert_eq!(missing.len(), 1, "{output}");
    assert!(missing[0].contains(why), "{missing:?}");
    assert!(output.hook_answers().contains(&"failed"), "{output}");
    assert!(output.stderr.contains(missing[0]), "people read it too: {}", output.stderr);
    // The runner verifies by itself, so the work is kept.
    assert_eq!(output.each("iteration-ended", "status"), ["accepted"], "{output}");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_deleted_hook_is_reported() {
    let setup = RunSetup::with_programs();
    let guard = setup.programs.path().join("stop-guard");
    // A program computes the name; command-guard does not run it.
    let folder = setup.programs.path().display();
    let output = run(&setup, &format!("perl -e 'unlink \"{folder}/\" . reverse \"draug-pots\"'"));
    assert!(!guard.exists());
    assert_reported(&output, "stop-guard");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_failing_hook_is_reported() {
    let setup = RunSetup::with_programs();
    let guard = setup.programs.path().join("stop-guard");
    let version = env!("CARGO_PKG_VERSION");
    let fails = format!(
        "#!/bin/sh\n[ \"$1\" != --version ] || exec echo stop-guard {version}\necho out of order >&2\nexit 1\n"
    );
    std::fs::write(&guard, fails).unwrap();
    assert_reported(&run(&setup, "true"), "out of order");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_runner_without_its_hooks_refuses_to_start() {
    let setup = RunSetup::alone();
    let output = setup.run(&model([]), &[]);
    assert_eq!(output.exit_code, Some(2), "{output}");
    assert!(output.stderr.contains("stop-guard is missing"), "{output}");
    assert!(output.stderr.contains("--allow-missing-hooks"), "{output}");
    assert_eq!(output.events.len(), 0, "{output}");
}
