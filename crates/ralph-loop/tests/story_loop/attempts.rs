//! What counts as a failed attempt at a story, and where the numbers are shown.

use events::{Gate, IterationStatus, RunEnd};
use predicates::str::contains;
use serde_json::{Value, json};
use simulator::{Act, LimitStatus, Mode, Scenario, When};
use test_repo::assert_text;

use crate::failures::{CHECK, Failed, breaks, failed_attempts, json_of, repeats, stdout_of};
use crate::harness::Project;
use crate::stories::{NEEDS_REVIEW, approval, commit, story, story_at};

/// Every session does this and nothing else.
fn always(acts: impl IntoIterator<Item = Act>) -> Project {
    Project::with_checks([story("US-001")], [CHECK]).scenario(Scenario::new().otherwise(acts))
}

/// The same about a story that waits for its review.
fn reviewing(acts: impl IntoIterator<Item = Act>) -> Project {
    let stories = [story_at("US-001", NEEDS_REVIEW, 0)];
    Project::new(stories).scenario(Scenario::new().otherwise(acts))
}

/// The only failure of a run with one iteration.
#[track_caller]
fn the_failure(project: &Project) -> Failed {
    the_failure_within(project, "1m")
}

#[track_caller]
fn the_failure_within(project: &Project, time: &str) -> Failed {
    let run = project.run(["-n", "1", "--iteration-timeout", time, "--review-timeout", time]);
    let mut failed = failed_attempts(&run);
    assert_eq!(failed.len(), 1, "{:#?}\n{}", run.events, run.stderr);
    let failed = failed.remove(0);
    assert_eq!((failed.story.as_str(), failed.iteration), ("US-001", 1));
    assert_eq!((failed.attempt, failed.of, failed.repeats), (1, 5, 1));
    assert_eq!(failed.hash.len(), 8, "{}", failed.hash);
    let attempts = &project.state()["stories"]["US-001"]["attempts"];
    assert_eq!(attempts.as_array().unwrap().len(), 1);
    assert_eq!(attempts[0]["gate"], json!(failed.gate));
    failed
}

#[test]
fn a_result_that_is_not_allowed_is_one() {
    let failed = the_failure(&always([approval("US-001"), commit("feat")]));
    assert_eq!(failed.gate, Gate::Rules);
    assert!(failed.error.contains("implement iterations cannot"), "{}", failed.error);
}

#[test]
fn a_session_that_takes_too_long_is_one() {
    let acts = || [Act::write("half.txt", "half"), Act::Hang { ignores_signals: false }];
    let failed = the_failure_within(&always(acts()), "3s");
    assert_eq!(
        (failed.gate, failed.error.as_str()),
        (
            Gate::Implement,
            "the session exceeded its time limit and was ended; continue from its work, do less at once, or split the story"
        )
    );
    let hangs = reviewing([Act::Hang { ignores_signals: false }]);
    assert_eq!(the_failure_within(&hangs, "3s").gate, Gate::SpecReview);
}

/// A step in between is what it was all for.
#[test]
fn a_story_that_takes_a_step_may_take_its_time_again() {
    let work = |words: &str| vec![Act::append("src/code.txt", words), commit("wip")];
    let visit = |number| When::mode(Mode::Implement).visit(number);
    let scenario = (1..=2).fold(Scenario::new(), |all, n| all.rule(visit(n), work("more\n")));
    let project = Project::new([story("US-001")]).scenario(scenario);
    let run = project.run(["--max-attempts", "2"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(failed_attempts(&run).len(), 0);
}

#[test]
fn an_agent_that_fails_is_tried_again_and_counts_each_time() {
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement).visit(1), [Act::Crash { exit_code: 7 }])
        .rule(When::mode(Mode::Implement).visit(2), [Act::Empty]);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let run = project.run(["--retry-wait", "1ms"]);
    run.assert_end(RunEnd::Complete);
    use IterationStatus::{Accepted, Retried};
    assert_eq!(run.statuses(), [Retried, Retried, Accepted, Accepted]);
    assert_eq!(repeats(&run), [(1, 1), (2, 1)]);
    let failed = failed_attempts(&run);
    assert_eq!([failed[0].gate, failed[1].gate], [Gate::Implement; 2]);
    assert!(failed[0].error.contains("exit code 7"), "{}", failed[0].error);
    assert_eq!(project.state()["counters"]["iterations"], 2, "tries are no iterations");
    assert_eq!(run.summary("US-001").failed_attempts, 2);
}

#[test]
fn failures_of_the_environment_are_no_attempts() {
    let new = match story("US-002") {
        Value::Object(story) => Act::AddStory { story },
        _ => panic!(),
    };
    let limit = Act::Limit {
        status: LimitStatus::Rejected,
        resets_in_s: Some(3600),
        resets_at: None,
        utilization: None,
    };
    let overloaded = Act::ApiError { status: 529, message: "Overloaded".into() };
    for (what, acts, status) in [
        ("a step", vec![Act::submit("done"), commit("feat")], IterationStatus::Accepted),
        ("work", vec![Act::write("a.txt", "a"), commit("feat")], IterationStatus::NoProgress),
        ("uncommitted work", vec![Act::write("a.txt", "a")], IterationStatus::NoProgress),
        ("a new story", vec![new, commit("plan")], IterationStatus::NoProgress),
        ("a usage limit", vec![limit], IterationStatus::Retried),
        ("an API error", vec![overloaded], IterationStatus::Failed),
    ] {
        let project = always(acts);
        let run = project.run(["-n", "1", "--on-limit", "stop", "--retries", "0"]);
        assert_eq!(run.statuses(), [status], "{what}: {}", run.stderr);
        assert_eq!(failed_attempts(&run).len(), 0, "{what}: {:#?}", run.events);
        assert_eq!(project.state()["stories"]["US-001"]["attempts"], json!([]), "{what}");
        assert!(!project.has(".ralph/state.md"), "{what}");
    }
}

#[cfg(unix)]
#[test]
fn a_run_that_the_user_stops_is_none() {
    let settings = json!({"timeLimits": {"stopGrace": "100ms"}});
    for acts in [
        [Act::bash(crate::failures::INTERRUPT), Act::finish("Stopped.")],
        [Act::bash(crate::failures::INTERRUPT), Act::Hang { ignores_signals: false }],
    ] {
        let project = always(acts).settings(&settings);
        let run = project.run([]);
        run.assert_end(RunEnd::Interrupted);
        assert_eq!(failed_attempts(&run).len(), 0, "{:#?}", run.events);
        project.agent(&Scenario::new());
        let next = project.run([]);
        next.assert_end(RunEnd::Complete);
        assert_eq!(next.summary("US-001").failed_attempts, 0);
    }
}

#[test]
fn all_displays_show_the_numbers() {
    let scenario =
        Scenario::new().rule(When::mode(Mode::Implement).story("US-001"), breaks("US-001"));
    let stories = [story("US-001"), story("US-002")];
    let project = Project::with_checks(stories, [CHECK]).scenario(scenario);
    let run = project.run(["-n", "2", "--max-attempts", "4"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(repeats(&run), [(1, 1), (2, 2)]);
    let hash = failed_attempts(&run)[1].hash.clone();

    let attempts = &project.state()["stories"]["US-001"]["attempts"];
    assert_eq!(attempts.as_array().unwrap().len(), 2);
    assert_eq!(
        (&attempts[1]["symptom"]["hash"], &attempts[1]["exitCode"]),
        (&json!(hash), &json!(1))
    );
    assert_eq!(attempts[1]["filesModified"], json!(["src/code.txt"]), "of this attempt alone");

    let status = json_of(&project, &["status", "--json"]);
    let first = &status["stories"][0];
    assert_eq!((&first["failedAttempts"], &first["maxAttempts"]), (&json!(2), &json!(4)));
    assert_eq!(status["stories"][1]["failedAttempts"], 0);
    let line = stdout_of(&project, &["status"]);
    let line = line.lines().find(|line| line.contains("Title of US-001")).unwrap();
    assert!(line.contains("2/4"), "{line}");

    let report = json_of(&project, &["report", "--format", "json"]);
    let unfinished = &report["unfinished"][0];
    assert_eq!((&unfinished["id"], &unfinished["failedAttempts"]), (&json!("US-001"), &json!(2)));
    assert_eq!(
        unfinished["history"][1],
        json!({
            "attempt": 2, "iteration": 2, "gate": "tests", "errorHash": hash, "repeats": 2,
            "error": "FAIL broken-US-001: assertion failed", "given": [],
        })
    );
    let text = stdout_of(&project, &["report"]);
    assert_text(&text, contains("US-001: open, 2 of 4 attempts failed, the last at tests: "));
}

/// A git that kills the runner as soon as the list on disk has lost the submission.
#[cfg(unix)]
const DEADLY_GIT: &str = r#"#!/bin/sh
if [ -e checked ] && grep -q '"reviewStatus": *null' ralph/tasks.json; then kill -KILL $PPID; fi
PATH="${PATH#*:}" exec git "$@"
"#;

#[cfg(unix)]
#[test]
fn a_failed_check_is_one_if_the_runner_is_killed_while_it_takes_the_step_back() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::with_checks([story("US-001")], ["touch checked; false"])
        .scenario(Scenario::new().otherwise([Act::submit("it works"), Act::commit("feat")]));
    project.write(".gitignore", format!("{}checked\n", project.read(".gitignore")));
    test_repo::commit_all(&project.path());
    let git = project.bin().join("git");
    std::fs::write(&git, DEADLY_GIT).unwrap();
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(project.run(["-n", "1"]).code, None, "it was killed");
    assert_eq!(project.story("US-001")["reviewStatus"], json!(null), "the list was written");
    std::fs::remove_file(git).unwrap();
    let run = project.run(["-n", "1"]);
    let failed = failed_attempts(&run);
    assert_eq!(failed.len(), 1, "{:#?}", run.events);
    assert_eq!((failed[0].gate, failed[0].attempt), (Gate::Tests, 1));
}
