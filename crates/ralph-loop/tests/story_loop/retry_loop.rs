//! The expected behaviour of a loop of attempts and checks, one test for each rule. Other tests
//! cover the details.

use std::collections::BTreeSet;

use events::{EscalationTier, Gate, IterationStatus, LoopEvent, QualityOutcome, RunEnd};
use project::{Layout, RunLock};
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use crate::harness::{Project, program};
use crate::outcome::Outcome;
use crate::stories::{fields, story};

/// Fails until `good.txt` exists.
const CHECK: &str = "test -f good.txt || { echo 'FAIL good.txt: Expected 401, got 200'; exit 3; }";

const ERROR: &str = "FAIL good.txt: Expected 401, got 200";

/// Claims to be done; that is true from this visit on.
fn good_from(visit: u64) -> Scenario {
    let submits = |work: Act| [work, Act::submit("done"), Act::commit("feat"), Act::finish("ok")];
    let half = |number| Act::append("src/code.txt", format!("try {number}\n"));
    (1..visit).fold(
        Scenario::new()
            .rule(When::mode(Mode::Implement).visit(visit), submits(Act::write("good.txt", "x"))),
        |scenario, number| {
            scenario.rule(When::mode(Mode::Implement).visit(number), submits(half(number)))
        },
    )
}

const NEVER: u64 = 9;

fn project(good_from_visit: u64) -> Project {
    Project::with_checks([story("US-001")], [CHECK]).scenario(good_from(good_from_visit))
}

/// Gate and repeats of each failed attempt.
fn attempts(run: &Outcome<'_>) -> Vec<(Gate, u64)> {
    let failed = run.events.iter().filter_map(|event| match event {
        LoopEvent::AttemptFailed(events::AttemptFailed { gate, repeats, .. }) => {
            Some((*gate, *repeats))
        }
        _ => None,
    });
    failed.collect()
}

fn tiers(run: &Outcome<'_>) -> Vec<EscalationTier> {
    let escalated = run.events.iter().filter_map(|event| match event {
        LoopEvent::Escalated { tier, .. } => Some(*tier),
        _ => None,
    });
    escalated.collect()
}

fn failure_branches(project: &Project) -> Vec<String> {
    let names = project.git(&["branch", "--format=%(refname:short)", "--list", "wip/*"]);
    names.lines().map(str::to_owned).collect()
}

#[test]
fn unit_success_on_first_try() {
    let project = project(1);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.statuses(), [IterationStatus::Accepted; 2]);
    assert_eq!(attempts(&run), []);
    assert!(failure_branches(&project).is_empty() && !project.has(".ralph/state.md"));
}

#[test]
fn unit_success_after_retry() {
    let project = project(2);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
    assert_eq!(attempts(&run), [(Gate::Tests, 1)]);
    assert!(failure_branches(&project).is_empty());
}

#[test]
fn unit_cap_hit_creates_branch() {
    let project = project(NEVER);
    let run = project.run(["--max-attempts", "2"]);
    run.assert_end(RunEnd::StoriesFailed).assert_exit(1);
    assert_eq!(attempts(&run), [(Gate::Tests, 1), (Gate::Tests, 2)]);
    let branches = failure_branches(&project);
    assert!(matches!(&branches[..], [one] if one.starts_with("wip/ralph-fail-US-001-")));
    assert_eq!(project.read("src/code.txt"), "code\n", "the work is there and not here");
}

#[test]
fn unit_stuck_detection_triggers_escalation() {
    let project = project(NEVER);
    let run = project.run(["-n", "4"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(attempts(&run).last(), Some(&(Gate::Tests, 4)));
    assert_eq!(tiers(&run), [EscalationTier::StrategyShift]);
    let shift = "strategy shift required";
    assert!(!run.prompt(3).contains(shift) && run.prompt(4).contains(shift), "{}", run.prompt(4));
    assert!(run.prompt(4).contains(ERROR), "{}", run.prompt(4));
}

#[test]
fn unit_timeout_enforcement() {
    let hangs = Scenario::new()
        .rule(When::mode(Mode::Implement).visit(1), [Act::Hang { ignores_signals: false }])
        .otherwise([Act::finish("Later.")]);
    let project = Project::new([story("US-001")]).scenario(hangs);
    let run = project.run(["-n", "2", "--iteration-timeout", "3s"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(run.statuses()[0], IterationStatus::TimedOut, "the loop continues after it");
    assert_eq!(attempts(&run)[0], (Gate::Implement, 1), "one attempt of five");
    let run = project.run(["--resume", "-n", "9", "--run-timeout", "1ms"]);
    run.assert_end(RunEnd::TimeUsed).assert_exit(1);
    assert!(run.assignments().is_empty(), "the whole loop ends");
}

#[test]
fn unit_lockfile_prevents_concurrent_runs() {
    let project = project(1);
    let held = RunLock::acquire(&Layout::new(project.path())).unwrap();
    let run = project.run([]);
    run.assert_exit(2);
    let named = format!("another ralph-loop is running here (pid {})", std::process::id());
    assert!(run.stderr.contains(&named) && run.events.is_empty(), "{}", run.stderr);
    drop(held);
    project.run([]).assert_end(RunEnd::Complete);
}

/// A trivial failing task: iterations, updates of the state, success.
#[test]
fn integration_a_failing_task_is_iterated_to_success() {
    let project = project(3);
    let first = project.run(["-n", "1"]);
    first.assert_end(RunEnd::IterationsUsed);
    let state = project.read(".ralph/state.md");
    for line in
        ["task_id: US-001", "iteration: 1", "max_iterations: 5", "last_gate: tests", "exit_code: 3"]
    {
        assert!(state.contains(&format!("\n{line}\n")), "{line}: {state}");
    }
    let second = project.run(["--resume", "-n", "2"]);
    second.assert_end(RunEnd::IterationsUsed);
    assert!(second.prompt(1).contains(ERROR), "{}", second.prompt(1));
    let state = project.read(".ralph/state.md");
    assert!(state.contains("\niteration: 2\n"), "{state}");
    let rows: Vec<&str> = state.lines().filter(|line| line.contains("| tests |")).collect();
    assert!(rows.len() == 2 && rows[0].starts_with("| 1 |"), "{state}");
    let last = project.run(["--resume", "-n", "9"]);
    last.assert_end(RunEnd::Complete);
    assert_eq!(last.assignments(), ["implement US-001", "review US-001"]);
    assert_eq!(last.summary("US-001").failed_attempts, 2);
    assert!(!project.has(".ralph/state.md"), "success leaves none");
}

fn sessions(run: &Outcome<'_>) -> BTreeSet<String> {
    let started = run.events.iter().filter_map(|event| match event {
        LoopEvent::IterationStarted(events::IterationStarted { session, .. }) => {
            Some(session.clone())
        }
        _ => None,
    });
    started.collect()
}

#[test]
fn smoke_fresh_context_each_iteration() {
    let acts = |work: [Act; 2]| {
        let name = Act::bash("echo $PPID >>../agents.txt");
        [vec![name.clone(), name], work.to_vec()].concat()
    };
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement), acts([Act::submit("done"), Act::commit("feat")]))
        .rule(When::mode(Mode::Review), acts([Act::approve("fine"), Act::commit("review")]));
    let project = Project::new([story("US-001"), story("US-002")]).scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(sessions(&run).len(), 4);
    let processes = project.read("../agents.txt");
    let processes: Vec<&str> = processes.lines().collect();
    assert_eq!(processes.len(), 8, "each session names itself twice");
    assert_eq!(processes.iter().collect::<BTreeSet<_>>().len(), 4, "{processes:?}");
}

#[test]
fn smoke_state_file_captures_real_error_output() {
    let project = project(NEVER);
    project.run(["-n", "1"]);
    let state = project.read(".ralph/state.md");
    let verbatim = state.split("## Test Output (verbatim)\n").nth(1).unwrap_or_default();
    assert!(verbatim.contains(&format!("\n{ERROR}\n")), "{state}");
}

#[test]
fn smoke_spec_reviewer_runs_independently() {
    let words = "I am sure that it is perfect.";
    let acts = [Act::say(words), Act::submit("done"), Act::commit("feat"), Act::finish(words)];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), acts);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let project = project.installed("claude").installed("codex");
    let run = project.run_installed(["--review-agent", "codex"]);
    run.assert_end(RunEnd::Complete).assert_event(words);
    let calls = run.calls();
    assert!(calls[0].starts_with("claude: ") && calls[1].starts_with("codex: "), "{calls:?}");
    assert_eq!(sessions(&run).len(), 2);
    assert!(!run.prompt(2).contains(words), "it makes up its own mind: {}", run.prompt(2));
}

#[test]
fn smoke_quality_warnings_are_logged_and_do_not_block() {
    let quality = When::any().prompt_contains("# Quality check of");
    let scenario = Scenario::new().rule(quality, [Act::finish("WARNING: src/a.rs:3 twice")]);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let run = project.run(["--quality"]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
    let reported = run.events.iter().find_map(|event| match event {
        LoopEvent::QualityChecked { outcome, warnings, .. } => Some((*outcome, warnings.clone())),
        _ => None,
    });
    assert_eq!(reported, Some((QualityOutcome::Checked, vec!["src/a.rs:3 twice".to_owned()])));
    let report = String::from_utf8(project.call(&["report"]).stdout).unwrap();
    assert!(report.contains("src/a.rs:3 twice"), "{report}");
}

#[test]
fn smoke_failed_branch_contains_diagnostics() {
    let project = project(NEVER);
    project.run(["--max-attempts", "2"]).assert_end(RunEnd::StoriesFailed);
    let branch = &failure_branches(&project)[0];
    let message = project.git(&["log", "-1", "--format=%B", branch]);
    for line in ["Ralph Loop failed: US-001", "Iterations: 2/2", "Last gate: tests", "Error hash: "]
    {
        assert!(message.contains(line), "{line}: {message}");
    }
    let file = project.git(&["show", &format!("{branch}:ralph/failure-US-001.md")]);
    assert!(file.contains(ERROR) && file.contains("last_gate: tests"), "{file}");
    assert!(project.git(&["show", &format!("{branch}:src/code.txt")]).contains("try 2"));
}

#[test]
fn smoke_rerun_detects_existing_state() {
    let project = project(2);
    project.run(["-n", "1"]).assert_end(RunEnd::IterationsUsed);
    let first = project.state()["runId"].clone();
    let run = project.run(["--resume", "-n", "9"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(project.state()["runId"], first, "the same run resumes");
    let resumed = run.events.iter().find_map(|event| match event {
        LoopEvent::RunStarted { resumed, .. } => resumed.clone(),
        _ => None,
    });
    assert_eq!(resumed.map(|resumed| resumed.iterations), Some(1));
    assert_eq!(project.state()["counters"]["iterations"], json!(3));
}

#[test]
fn smoke_concurrent_run_blocked() {
    let [runner, agent] = ["ralph-loop", "simulated-agent"].map(program);
    let (runner, agent) = (runner.display(), agent.display());
    let second = format!(
        "'{runner}' run --agent-program '{agent}' >../second.txt 2>&1; echo $? >>../second.txt"
    );
    let acts = [Act::bash(second), Act::submit("done"), Act::commit("feat"), Act::finish("ok")];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), acts);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.assignments().len(), 2, "the first continues undisturbed");
    let second = project.read("../second.txt");
    assert!(second.contains("another ralph-loop is running here (pid "), "{second}");
    assert!(second.ends_with("\n2\n"), "{second}");
}
