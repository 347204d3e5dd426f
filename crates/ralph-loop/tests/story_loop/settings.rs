//! Settings in a story loop: flags over files, reviews, and files that are the user's.

use events::{LoopEvent, RunEnd};
use predicates::str::contains;
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::cheating::Cheat;
use crate::harness::Project;
use crate::stories::{fields, story, story_at};

#[test]
fn flags_win_over_the_local_file_and_that_over_the_projects() {
    let project = Project::new([story("US-001")]);
    let settings = json!({"agent": {"model": "a"}, "maximumIterations": 7, "review": {"cap": 4}});
    let project = project.settings(&settings);
    let local = json!({"agent": {"model": "b"}, "maximumIterations": 8});
    project.write(".ralph/settings.local.json", local.to_string());
    let run = project.run(["--max-iterations", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    let Some(LoopEvent::RunStarted { start, .. }) = run.events.first() else {
        panic!("{:?}", run.events);
    };
    let found = (start.model.as_deref(), start.max_iterations, start.review_cap);
    assert_eq!(found, (Some("b"), 1, Some(4)));
    assert!(run.calls()[0].contains("--model b"), "{:?}", run.calls());
}

#[test]
fn limits_and_attempts_reach_the_run() {
    let project = Project::new([story("US-001")]);
    let dry =
        ["run", "--dry-run", "--agent-program", "sh", "--quality", "--timeout-multiplier", "2"];
    let printed = String::from_utf8(project.call(&dry).stdout).unwrap();
    let line = "session 24m/40m, review 6m/10m, check 10m/20m, quality 4m/6m, run 1h 30m/2h\n";
    assert_text(&printed, contains(format!("\nTime limits (warns/ends): {line}")));
    let started = |flags: [&str; 6]| {
        let run = project.run(flags);
        let Some(LoopEvent::RunStarted { start, .. }) = run.events.first() else {
            panic!("{:?}", run.events);
        };
        (start.max_attempts, start.max_seconds)
    };
    let attempts = ["-n", "1", "--fresh", "--max-attempts", "2", "--quality"];
    assert_eq!(started(attempts), (Some(2), Some(3600.0)));
    let doubled = ["-n", "1", "--fresh", "--timeout-multiplier", "2", "--no-quality"];
    assert_eq!(started(doubled), (Some(5), Some(7200.0)));
}

#[test]
fn reviews_can_be_left_out() {
    let project = Project::new([story("US-001")]).settings(&json!({"review": {"skip": true}}));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.assignments(), ["implement US-001"]);
    assert_eq!(project.fields("US-001")[0], true);
}

#[test]
fn the_last_allowed_review_must_approve() {
    let settings = json!({"review": {"cap": 2}});
    let project = Project::new([story_at("US-001", "needs_review", 1)]).settings(&settings);
    let never = When::mode(Mode::Review).visit(1);
    let project = project.scenario(Scenario::new().rule(never, [Act::request_changes("more")]));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 2, ""));
    assert!(run.findings().contains("US-001"), "the first try is undone: {}", run.findings());
    assert!(run.prompt(1).contains("US-001"));
}

#[test]
fn settings_that_an_agent_writes_are_removed_and_its_step_is_undone() {
    let name = ".ralph/settings.local.json";
    let lax = json!({"review": {"skip": true}, "guardrails": []}).to_string();
    let project = Cheat::in_mode(Mode::Implement, [story("US-001")])
        .commits([Act::write(name, &lax), Act::submit("done")])
        .for_what(".ralph/settings.local.json: created");
    assert_eq!(project.fields("US-001"), fields(false, json!(null), 0, ""));
    assert!(!project.has(name));
}

#[test]
fn settings_changed_by_an_agent_are_restored() {
    let project = Project::with_checks([story("US-001")], ["true"]);
    let strict = json!({"guardrails": [{"command": "exit 4"}]}).to_string();
    for name in [".ralph/settings.json", ".ralph/settings.local.json"] {
        project.write(name, &strict);
    }
    test_repo::commit_all(&project.path());
    let name = ".ralph/settings.local.json";
    let project = Cheat::in_project(Mode::Implement, project)
        .commits([Act::write(name, "{}"), Act::submit("done")])
        .for_what(".ralph/settings.local.json: changed");
    assert_eq!(project.fields("US-001"), fields(false, json!(null), 0, ""));
    assert_eq!(project.read(name), strict);
    assert_eq!(project.git(&["status", "--porcelain", ".ralph"]), "");
}

#[test]
fn secrets_of_the_local_settings_are_copied_nowhere() {
    let project = Project::new([story("US-001")]);
    let secret = "hunter2-and-a-half";
    let local = json!({"env": {"TOKEN": secret}}).to_string();
    project.write(".ralph/settings.local.json", &local);
    project.run([]).assert_end(RunEnd::Complete);
    let runs = project.path().join(".ralph");
    let mut folders = vec![runs];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("settings.local.json") {
                let bytes = std::fs::read(&path).unwrap();
                let text = String::from_utf8_lossy(&bytes);
                assert!(!text.contains(secret), "{}", path.display());
            }
        }
    }
}

#[test]
fn an_agent_that_commits_everything_commits_nothing_of_the_runners() {
    let everything = [Act::submit("done"), Act::bash("git add -A; git commit -qm all")];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), everything);
    let project = Project::new([story("US-001")]).scenario(scenario);
    project.git(&["rm", "-q", ".gitignore"]);
    test_repo::commit_all(&project.path());
    project.run(["-n", "1"]).assert_end(RunEnd::IterationsUsed);
    let files = project.git(&["ls-files"]);
    assert!(!files.contains(".ralph"), "{files}");
}
