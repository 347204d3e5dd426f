//! Time limits of a prompt loop: a session of an hour and no limit of the run by default.

use events::{AgentOutcome, LoopEvent, RunEnd, TimedTask};
use serde_json::json;

use crate::harness::{PROMISE, Project};
use crate::outcome::Outcome;

const TASK_FILE: [&str; 2] = ["prompt", "task.md"];
const HANGS: &str = "echo half >half.txt; echo thinking; exec sleep 600";

fn limits(project: &Project, flags: &[&str]) -> String {
    let output =
        project.call(&[&["prompt", "task.md", "--dry-run", "--agent", "sh"], flags].concat());
    let printed = String::from_utf8(output.stdout).unwrap();
    let line = printed.lines().find_map(|line| line.strip_prefix("Time limits (warns/ends): "));
    line.unwrap_or_else(|| panic!("{printed}")).to_owned()
}

fn ended(run: &Outcome) -> Vec<AgentOutcome> {
    let ended = run.events.iter().filter_map(|event| match event {
        LoopEvent::AgentEnded(events::AgentEnded { outcome, .. }) => Some(*outcome),
        _ => None,
    });
    ended.collect()
}

fn is_warning(event: &LoopEvent) -> bool {
    matches!(event, LoopEvent::TimeWarning { what: TimedTask::Run, .. })
}

#[test]
fn the_usual_ones_and_others() {
    let project = Project::new();
    assert_eq!(limits(&project, &[]), "session -/1h, check 5m/10m, run none");
    let multiplied = ["--timeout-multiplier", "0.5", "--run-timeout", "3h"];
    assert_eq!(limits(&project, &multiplied), "session -/30m, check 2m 30s/5m, run -/1h 30m");
}

#[test]
fn the_run_ends_at_its_limit_and_resumes_with_more_time() {
    let set = json!({"timeLimits": {"runSoft": "300ms", "run": "3s"}});
    let project = Project::new().agent([HANGS, PROMISE]).settings(&set);
    let run = project.run(&TASK_FILE);
    run.assert_end(RunEnd::TimeUsed).assert_exit(1);
    assert_eq!(ended(&run), [AgentOutcome::Stopped]);
    assert_eq!(run.events.iter().filter(|event| is_warning(event)).count(), 1);
    assert_eq!(project.read("half.txt"), "half\n");
    let Some(LoopEvent::RunEnded(events::RunEnded { text, iterations, .. })) = run.events.last()
    else {
        panic!()
    };
    assert!(text.contains("--resume") && text.contains("--run-timeout"), "{text}");
    assert_eq!(*iterations, 0, "the iteration is not used up");

    let same = project.run(&["prompt", "task.md", "--resume"]);
    same.assert_end(RunEnd::TimeUsed);
    assert_eq!(project.prompts().len(), 1, "nothing is begun");
    for more in ["0s", "1h"] {
        let next = project.run(&["prompt", "task.md", "--resume", "--run-timeout", more]);
        next.assert_end(RunEnd::Complete);
    }
}

#[test]
fn a_guardrail_that_the_run_has_no_time_for_is_not_the_agents_failure() {
    let slow = json!({
        "guardrails": [{"command": "test -e ../fast || sleep 600"}],
        "isolation": {"readablePaths": ["../fast"]},
    });
    let project = Project::new().agent([PROMISE]).settings(&slow);
    let run = project.run(&["prompt", "task.md", "--run-timeout", "4s"]);
    run.assert_end(RunEnd::TimeUsed);
    assert!(!run.events.iter().any(|event| matches!(event, LoopEvent::CheckEnded { .. })));
    std::fs::write(project.beside("fast"), "").unwrap();
    let next = project.run(&["prompt", "task.md", "--resume", "--run-timeout", "0s"]);
    next.assert_end(RunEnd::Complete);
    assert!(!project.prompts()[1].contains("took longer"), "{}", project.prompts()[1]);
}

#[test]
fn the_multiplier_shortens_a_session() {
    let project = Project::new().agent([HANGS, PROMISE]);
    let flags = ["--iteration-timeout", "60s", "--timeout-multiplier", "0.05"];
    let run = project.run(&[&TASK_FILE[..], &flags].concat());
    run.assert_end(RunEnd::Complete);
    assert_eq!(ended(&run), [AgentOutcome::TimedOut, AgentOutcome::Answered]);
}
