//! Sessions without a guard: they are noticed, and said.

use simulator::Turn;

use crate::model;
use crate::stories::submitted;
use crate::told::Told;
use crate::workshop::Workshop;

/// One iteration that submits a story, after this work.
fn run(workshop: &Workshop, work: &str) -> Told {
    let submit = workshop.stories().work(work, 0, submitted());
    let turns = vec![submit, Turn::text("Submitted.")];
    workshop.run(&model([turns]), &["-n", "1", "--no-sandbox"])
}

fn assert_told(told: &Told, why: &str) {
    let missing = told.each("hook-missing", "why");
    assert_eq!(missing.len(), 1, "{told}");
    assert!(missing[0].contains(why), "{missing:?}");
    assert!(told.hook_answers().contains(&"failed"), "{told}");
    assert!(told.stderr.contains(missing[0]), "people read it too: {}", told.stderr);
    // The runner judges by itself, so the work is not lost.
    assert_eq!(told.each("iteration-ended", "status"), ["accepted"], "{told}");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_guard_that_the_agent_deletes_is_missed() {
    let workshop = Workshop::with_programs();
    let guard = workshop.programs.path().join("stop-guard");
    // As a program does it: command-guard reads no names that are put together.
    let folder = workshop.programs.path().display();
    let told = run(&workshop, &format!("perl -e 'unlink \"{folder}/stop\" . \"-guard\"'"));
    assert!(!guard.exists());
    assert_told(&told, "stop-guard");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_guard_that_fails_is_noticed() {
    let workshop = Workshop::with_programs();
    let guard = workshop.programs.path().join("stop-guard");
    let version = env!("CARGO_PKG_VERSION");
    let fails = format!(
        "#!/bin/sh\n[ \"$1\" != --version ] || exec echo stop-guard {version}\necho out of order >&2\nexit 1\n"
    );
    std::fs::write(&guard, fails).unwrap();
    assert_told(&run(&workshop, "true"), "out of order");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_runner_without_its_hooks_refuses_to_start() {
    let workshop = Workshop::alone();
    let told = workshop.run(&model([]), &[]);
    assert_eq!(told.exit_code, Some(2), "{told}");
    assert!(told.stderr.contains("stop-guard is missing"), "{told}");
    assert!(told.stderr.contains("--allow-missing-hooks"), "{told}");
    assert_eq!(told.events.len(), 0, "{told}");
}
