//! Checks that fail before the first story, and checks of some paths.

use events::{KnownFailure, LoopEvent, RunEnd};
use serde_json::json;
use simulator::Scenario;

use crate::harness::{Project, program};
use crate::outcome::Outcome;
use crate::stories::{list, story};

/// The failures of each time that the checks ran on the base.
fn checked<'a>(run: &'a Outcome<'_>) -> Vec<&'a [KnownFailure]> {
    let checked = run.events.iter().filter_map(|event| match event {
        LoopEvent::BaseChecked { failures, .. } => Some(&failures[..]),
        _ => None,
    });
    checked.collect()
}

const OLD: &str = "echo 'error: the year is wrong'; exit 4";

#[test]
fn a_run_on_a_failing_base_says_so_completes_and_reports_it() {
    let project =
        Project::with_checks([story("US-001")], [OLD]).with_base_checks().scenario(Scenario::new());
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let known = checked(&run)[0];
    assert_eq!((known.len(), known[0].error.as_str()), (1, "error: the year is wrong"));
    assert!(!known[0].is_unstable);
    let report = project.call(&["report"]);
    let text = String::from_utf8_lossy(&report.stdout);
    assert!(text.contains("## Checks that failed without the work of this run"), "{text}");
}

#[test]
fn the_terminal_does_not_say_that_a_prompt_gets_the_output_of_a_check_of_the_base() {
    let project =
        Project::with_checks([story("US-001")], [OLD]).with_base_checks().scenario(Scenario::new());
    let agent = program("simulated-agent");
    let agent = ["--agent-program", agent.to_str().unwrap()];
    let shown = project.call(&[&["run", "-n", "1", "--sandbox=guard"][..], &agent].concat());
    let shown = String::from_utf8_lossy(&shown.stdout);
    let (base, _) = shown.split_once("iteration 1/1").unwrap();
    assert!(base.contains("full output: ") && !base.contains("to the next prompt"), "{base}");
}

#[test]
fn a_run_that_requires_passing_checks_does_not_begin_a_session() {
    let project = Project::with_checks([story("US-001")], [OLD]).with_base_checks();
    let run = project.run(["--require-green-base"]);
    run.assert_exit(2);
    assert_eq!(run.assignments(), Vec::<String>::new());
    assert!(run.stderr.contains("--require-green-base"), "{}", run.stderr);
    assert!(!project.has(".ralph-active"));
    assert_eq!(project.run([]).code, Some(0), "the next run is a new one");
}

#[test]
fn a_check_with_paths_and_a_time_limit_is_read_from_the_task_list() {
    let mut list = list([story("US-001"), story("US-002")]);
    list["verifyCommands"] = json!([{"run": "sleep 600", "paths": ["web/**"], "timeout": "1s"}]);
    let project = Project::with_list(&list);
    let run = project.run(["-n", "2"]);
    assert!(!run.events.iter().any(|event| matches!(event, LoopEvent::CheckStarted { .. })));
    let run = project.run(["-n", "1"]);
    let failed = run.events.iter().any(|event| {
        let timed_out = events::CheckOutcome::TimedOut;
        matches!(event, LoopEvent::CheckEnded(check) if check.outcome == timed_out)
    });
    assert!(failed, "the last story runs all checks: {:#?}", run.events);
}
