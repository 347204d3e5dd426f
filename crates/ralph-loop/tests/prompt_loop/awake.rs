//! Prevention of sleep, with a stand-in for `systemd-inhibit`.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use events::{LoopEvent, RunEnd};
use serde_json::json;

use crate::harness::{DONE, Project};
use crate::outcome::Outcome;
use crate::running::{WAIT, says, until};
use crate::signals::processes::is_running;

const PROMPT: [&str; 3] = ["prompt", "-p", "Do it."];

/// Like the real one: takes the lock, then starts the command and ends with it.
const GRANTED: &str = r#"echo "$*" >"$0.args"
env >"$0.environment"
while [ "${1#--}" != "$1" ]; do shift; done
"$@" &
echo $$ $! >"$0.unfinished"
mv "$0.unfinished" "$0.processes"
wait"#;

/// The answer of the real one where no bus is.
const REFUSED: &str = r#"echo "Failed to connect to bus: No such file or directory" >&2
touch "$0.refused"
exit 1"#;

/// The agent writes until its text appears in the log, at most half a minute.
fn until_logged(event: &str) -> String {
    let log = r#""$RALPH_PROJECT_DIR"/.ralph/runs/*/events.jsonl"#;
    let rounds = "rounds=$((rounds + 1)); [ $rounds -lt 3000 ] || break";
    format!("until grep -q {event} {log}; do {rounds}; echo working; sleep 0.01; done; {DONE}")
}

fn project(inhibitor: &str, act: &str) -> Project {
    let project = Project::new().agent([act]);
    let program = project.beside("bin/systemd-inhibit");
    std::fs::write(&program, format!("#!/bin/sh\n{inhibitor}\n")).unwrap();
    std::fs::set_permissions(program, Permissions::from_mode(0o755)).unwrap();
    project
}

/// What the stand-in wrote down.
fn record(project: &Project, of: &str) -> Option<String> {
    std::fs::read_to_string(project.beside(&format!("bin/systemd-inhibit.{of}"))).ok()
}

/// The stand-in and the command that it started.
#[track_caller]
fn processes(project: &Project) -> Vec<u32> {
    let text = until("the lock is taken", || record(project, "processes"));
    text.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

#[track_caller]
fn assert_released(project: &Project) {
    let pids = processes(project);
    until("the lock is released", || pids.iter().all(|pid| !is_running(*pid)).then_some(()));
}

fn announced(run: &Outcome) -> Vec<usize> {
    let events = run.events.iter().enumerate();
    let found = events.filter(|(_, event)| matches!(event, LoopEvent::SleepPrevented { .. }));
    found.map(|(at, _)| at).collect()
}

#[test]
fn a_run_prevents_sleep_until_it_ends_and_says_so_once() {
    let project = project(GRANTED, &until_logged("sleep-prevented"));
    let run = project.run(&PROMPT);
    run.assert_end(RunEnd::Complete);
    let [at] = announced(&run)[..] else { panic!("once: {:?}", run.events) };
    assert!(at > 0, "after the start of the run");
    assert_eq!(run.events[at], LoopEvent::SleepPrevented { by: "systemd-inhibit".into() });
    let shown = std::fs::read_to_string(project.run_folder().join("session.log")).unwrap();
    let text = "awake: this computer does not sleep until the run ends (systemd-inhibit)";
    assert!(shown.contains(text), "{shown}");
    let args = record(&project, "args").unwrap();
    assert!(args.starts_with("--what=idle:sleep --who=ralph-loop --why="), "{args}");
    assert!(args.contains(" --mode=block /bin/sh -c "), "{args}");
    assert_released(&project);
}

#[test]
fn the_program_gets_no_secrets() {
    let project = project(GRANTED, &until_logged("sleep-prevented"));
    project.run(&PROMPT).assert_end(RunEnd::Complete);
    let environment = record(&project, "environment").unwrap();
    let of_the_shell = ["PWD", "OLDPWD", "SHLVL", "_"];
    let names = environment.lines().filter_map(|line| Some(line.split_once('=')?.0));
    let given: Vec<&str> = names.filter(|name| !of_the_shell.contains(name)).collect();
    assert_eq!(given, ["PATH"]);
}

#[test]
fn a_run_continues_where_sleep_cannot_be_prevented() {
    let refused =
        format!("until [ -e ../bin/systemd-inhibit.refused ]; do sleep 0.01; done; {DONE}");
    let project = project(REFUSED, &refused);
    let run = project.run(&PROMPT);
    run.assert_end(RunEnd::Complete);
    assert_eq!(announced(&run), [0; 0]);
    assert_eq!(run.warnings(), "");
}

#[test]
fn the_setting_disables_it() {
    let project = project(GRANTED, DONE).settings(&json!({"keepAwake": false}));
    project.run(&PROMPT).assert_end(RunEnd::Complete);
    assert_eq!(record(&project, "args"), None);
}

#[test]
fn the_lock_of_a_killed_runner_is_released() {
    let project = project(GRANTED, &format!("{WAIT}; {DONE}"));
    let mut runner = project.start(&PROMPT);
    runner.wait_for("the agent's first word", says("started"));
    let pids = processes(&project);
    assert!(pids.iter().all(|pid| is_running(*pid)), "{pids:?}");
    let killed = Instant::now();
    runner.kill();
    assert_released(&project);
    assert!(killed.elapsed() < Duration::from_secs(30), "before the command itself looks");
}
