//! Locks that a killed git left behind do not stop the run; those of a living one are respected.

use std::fs::File;

use events::{LoopEvent, RunEnd};
use predicates::str::contains;
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::harness::Project;

/// An agent that approves its own work, leaves git locked and ends once the file `go-on` exists.
fn cheat_with_lock() -> Project {
    let project = Project::new(1, &[]);
    let go_on = project.beside("go-on");
    let acts = [
        Act::write("work/US-1.txt", "x\n"),
        Act::set_story([
            ("passes", true.into()),
            ("reviewStatus", "approved".into()),
            ("reviewCount", 1.into()),
            ("notes", "me".into()),
        ]),
        Act::bash("touch .git/index.lock .git/HEAD.lock .git/refs/heads/ralph/scratch.lock"),
        Act::say("It is locked."),
        Act::bash(format!("while [ ! -e '{}' ]; do sleep 0.01; done", go_on.display())),
        Act::Crash { exit_code: 1 },
    ];
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts));
    project
}

#[test]
fn a_stale_lock_is_removed_and_reported() {
    let project = cheat_with_lock();
    std::fs::write(project.beside("go-on"), "").unwrap();
    let run = project.run(&["--retry-wait", "1ms"]);
    run.assert_exit(0);
    for lock in ["index.lock", "HEAD.lock", "refs/heads/ralph/scratch.lock"] {
        run.assert_event(
            lock,
            |event| matches!(event, LoopEvent::LeftoverFound { text } if text.contains(lock)),
        );
    }
    project.assert_complete();
}

#[test]
fn a_lock_of_a_running_process_ends_the_run_and_the_next_one_judges_the_work() {
    let project = cheat_with_lock();
    let lock = project.root().join(".git/index.lock");
    let mut runner = project.start(&[]);
    runner.wait_for(
        "the lock",
        |event| matches!(event, LoopEvent::AgentText { text } if text == "It is locked."),
    );
    let held = File::open(&lock).unwrap();
    std::fs::write(project.beside("go-on"), "").unwrap();
    let run = runner.finish();
    run.assert_exit(5);
    run.assert_event("why", |event| {
        matches!(event, LoopEvent::RunEnded(events::RunEnded { end: RunEnd::GitFailed, text, .. })
            if text.contains("index.lock"))
    });
    assert_text(&run.stderr, contains("hint: another git process is running"));
    assert!(lock.exists(), "the lock of its owner was removed");
    project.assert_quiet();

    drop(held);
    let next = project.run(&["--retry-wait", "1ms"]);
    next.assert_exit(0)
        .assert_event("the cheat", |event| matches!(event, LoopEvent::ChangesReverted { .. }));
    project.assert_complete();
}
