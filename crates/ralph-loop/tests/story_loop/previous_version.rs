//! A run that an earlier version left behind, killed in its first session: state, marker, log and repository as that
//! version wrote them.

use std::path::Path;

use events::{IterationStatus, RunEnd};

use crate::harness::{Project, program};

const RUN: &str = "20261118-112032-74fd";
const REPOSITORY: &str = include_str!("../data/interrupted-run/repository.fast-export");

fn left_behind() -> Project {
    let project = Project::empty();
    let git = |args: &[&str]| project.git(args);
    git(&["init", "-q", "-b", "main"]);
    // Its session had committed the work and submitted the story.
    let mut import = assert_cmd::Command::new("git");
    import.args(["fast-import", "--quiet"]).current_dir(project.path());
    import.write_stdin(REPOSITORY).assert().success();
    git(&["symbolic-ref", "HEAD", "refs/heads/ralph/sums"]);
    git(&["reset", "-q", "--hard"]);
    for (name, text) in [
        (".git/config", include_str!("../data/interrupted-run/git-config")),
        (".git/info/exclude", include_str!("../data/interrupted-run/git-exclude")),
        (".ralph/state.json", include_str!("../data/interrupted-run/state.json")),
        (".ralph-active", include_str!("../data/interrupted-run/ralph-active.json")),
        ("events.jsonl", include_str!("../data/interrupted-run/events.jsonl")),
        ("tasks.before.json", include_str!("../data/interrupted-run/tasks.before.json")),
    ] {
        let run = Path::new(".ralph/runs").join(RUN);
        let place = match name {
            "events.jsonl" => run.join(name),
            "tasks.before.json" => run.join("001-implement-US-001").join(name),
            _ => name.into(),
        };
        project.write(place.to_str().unwrap(), text);
    }
    project
}

#[test]
fn it_is_resumed_and_its_iteration_judged() {
    let project = left_behind();
    let outcome = project.run([]);
    outcome.assert_end(RunEnd::Complete).assert_event("judging its work");
    assert_eq!(outcome.statuses()[0], IterationStatus::Accepted);
    assert_eq!(outcome.assignments(), ["review US-001"], "the implementation is not repeated");
    assert_eq!(project.state()["runId"], RUN);
    assert!(!project.has(".ralph-active"));
    let log = project.read(&format!(".ralph/runs/{RUN}/events.jsonl"));
    assert!(log.starts_with(include_str!("../data/interrupted-run/events.jsonl")));
}

#[test]
fn status_and_report_read_it() {
    let project = left_behind();
    for command in ["status", "report"] {
        let output = project.call(&[command]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains("US-001"), "{command}: {text}");
    }
}

#[test]
fn a_state_of_a_newer_version_is_refused_with_a_clear_message() {
    let project = left_behind();
    let state = project.read(".ralph/state.json").replace("\"version\": 1", "\"version\": 2");
    project.write(".ralph/state.json", state);
    let agent = program("simulated-agent");
    let output =
        project.call(&["run", "--agent-program", agent.to_str().unwrap(), "--sandbox=guard"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("newer version"), "{text}");
}
