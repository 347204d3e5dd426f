//! Whole runs in a sandbox, with the simulated agent in it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use events::{LoopEvent, Stamped};
use predicates::str::contains;
use serde_json::json;
use test_repo::assert_text;

use crate::docker_harness::Machine;

/// No run of these tests takes a tenth of it.
const PATIENCE: Duration = Duration::from_secs(120);

/// As `ralph-loop init` writes it.
const IGNORED: &str =
    ".ralph-active\n.ralph/lock\n.ralph/state.json\n.ralph/state.md\n.ralph/runs/\n";

const STORIES: [&str; 4] = ["run", "--output", "json", "--sandbox=docker"];

struct Ran {
    code: Option<i32>,
    events: Vec<LoopEvent>,
    stderr: String,
}

/// One story that is not started, and an honest agent in the sandbox.
fn machine(cli: &str) -> Machine {
    let machine = Machine::new(cli, "my project").with_git();
    let story = json!({
        "id": "US-001", "title": "One", "acceptanceCriteria": ["it works"], "priority": 1,
        "passes": false, "reviewStatus": null, "reviewCount": 0, "reviewFeedback": "", "notes": "",
    });
    let list = json!({
        "project": "demo", "branchName": "ralph/demo", "description": "a demo", "userStories": [story],
    });
    std::fs::create_dir(machine.project().join("ralph")).unwrap();
    machine.write("ralph/tasks.json", &list.to_string());
    machine.write("ralph/prd.md", "# What and why\n");
    machine.write("ralph/prompt.md", "Go on. ${STORY}\n");
    machine.write("ralph/progress.txt", "");
    machine.write(".gitignore", IGNORED);
    std::fs::create_dir(machine.project().join(".ralph")).unwrap();
    machine.write(".ralph/settings.json", r#"{"sandbox": {"settle": "1ms"}}"#);
    machine.commit();
    machine.stand_in.agent(&program("simulated-agent")).unwrap();
    // The program must exist on the host, and is never called.
    script(&machine.beside("bin/claude"), "echo called >> \"${0%/*}/host-claude\"; exit 7");
    machine
}

fn script(path: &Path, text: &str) {
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn program(name: &str) -> PathBuf {
    cargo_bin("ralph-loop").with_file_name(name)
}

fn call(machine: &Machine, args: &[&str]) -> Output {
    call_program(machine, &program("ralph-loop"), args)
}

fn call_program(machine: &Machine, program: &Path, args: &[&str]) -> Output {
    let path = format!("{}:{}", machine.beside("bin").display(), std::env::var("PATH").unwrap());
    let mut command = assert_cmd::Command::new(program);
    command.env_clear().env("PATH", path).env("HOME", machine.beside("home"));
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("IS_SANDBOX", "1").timeout(PATIENCE);
    command.current_dir(machine.project()).args(args).output().unwrap()
}

fn run(machine: &Machine, args: &[&str]) -> Ran {
    let output = call(machine, args);
    let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    Ran {
        code: output.status.code(),
        events: lines.map(|line| Stamped::from_line(line).unwrap().event).collect(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn count(commands: &[String], name: &str) -> usize {
    commands.iter().filter(|command| *command == name).count()
}

#[test]
fn a_story_is_done_and_reviewed_in_the_sandbox_with_all_hooks() {
    for cli in ["sbx", "docker"] {
        let machine = machine(cli);
        let ran = run(&machine, &STORIES);
        assert_eq!(ran.code, Some(0), "{}\n{:#?}", ran.stderr, ran.events);
        let unguarded = ran.events.iter().any(|e| matches!(e, LoopEvent::HookMissing { .. }));
        assert!(!unguarded, "{:#?}", ran.events);
        let commands = machine.commands();
        let made_and_run = (count(&commands, "create"), count(&commands, "run"));
        assert_eq!(made_and_run, (1, 2), "{commands:?}");
        assert!(!machine.beside("bin/host-claude").exists());
    }
}

#[test]
fn a_resumed_run_restarts_the_same_sandbox() {
    let machine = machine("docker");
    let first = run(&machine, &[&STORIES[..], &["--max-iterations", "1"]].concat());
    assert_eq!(first.code, Some(1), "{}\n{:#?}", first.stderr, first.events);
    machine.commands();
    machine.write("file", "edited by hand");
    machine.commit();
    let second = run(&machine, &STORIES);
    assert_eq!(second.code, Some(0), "{}\n{:#?}", second.stderr, second.events);
    let commands = machine.commands();
    assert_eq!(count(&commands, "create"), 0, "{commands:?}");
    let stopped = commands.iter().position(|command| command == "stop").unwrap();
    let ran = commands.iter().position(|command| command == "run").unwrap();
    assert!(stopped < ran, "{commands:?}");
}

#[test]
fn the_hosts_of_the_settings_reach_the_sandbox() {
    let machine = machine("docker");
    let settings = json!({ "isolation": { "settle": "1ms", "allowedHosts": ["api.example.com"] } });
    machine.write(".ralph/settings.json", &settings.to_string());
    machine.commit();
    // A session in the sandbox can write `.git/config`, so a remote opens nothing.
    let remote = ["remote", "add", "x", "https://remote.example.com/x.git"];
    test_repo::git(machine.project(), &remote);
    let ran = run(&machine, &STORIES);
    assert_eq!(ran.code, Some(0), "{}\n{:#?}", ran.stderr, ran.events);
    let name = isolation::docker::SandboxName::of_project(machine.project());
    let hosts = machine.stand_in.hosts(name.as_str()).unwrap().unwrap();
    for host in ["api.example.com", "api.anthropic.com"] {
        assert!(hosts.iter().any(|each| each == host), "{host}: {hosts:?}");
    }
    assert!(!hosts.iter().any(|host| host.contains("remote.example.com")), "{hosts:?}");
}

#[test]
fn a_step_that_fails_is_named_and_the_run_does_not_begin() {
    let steps = [
        ("ls", "listing"),
        ("create", "creating"),
        ("exec-root", "linking"),
        ("exec", "setting the git identity"),
    ];
    for (step, words) in steps {
        let machine = machine("sbx");
        machine.stand_in.fail_at(step).unwrap();
        let ran = run(&machine, &STORIES);
        assert_eq!(ran.code, Some(2), "{step}: {}\n{:#?}", ran.stderr, ran.events);
        assert!(ran.stderr.contains(words) && ran.stderr.contains("hint:"), "{}", ran.stderr);
        assert_eq!(count(&machine.commands(), "run"), 0);
    }
}

#[test]
fn a_session_that_takes_too_long_is_ended_in_the_sandbox_too() {
    let machine = machine("sbx");
    let agent = machine.beside("bin/slow");
    script(&agent, "exec sleep 600");
    machine.stand_in.agent(&agent).unwrap();
    let short = ["--max-iterations", "1", "--iteration-timeout", "3s"];
    let ran = run(&machine, &[&STORIES[..], &short].concat());
    assert_ne!(ran.code, Some(0));
    let commands = machine.commands();
    let last: Vec<&str> = commands.iter().map(String::as_str).rev().take(2).collect();
    assert_eq!(last, ["stop", "run"], "{commands:?}\n{}\n{:#?}", ran.stderr, ran.events);
}

#[test]
fn a_loop_over_a_prompt_runs_there_too() {
    let machine = machine("sbx");
    let agent = machine.beside("bin/talker");
    script(&agent, "for word; do printf '%s\\n' \"$word\"; done > args; env > seen; exit 0");
    machine.stand_in.agent(&agent).unwrap();
    let args = [
        "prompt",
        "-p",
        "do 'it' $now",
        "--output",
        "json",
        "--sandbox=docker",
        "--maximum-iterations",
        "1",
        "--retries",
        "0",
    ];
    let ran = run(&machine, &args);
    let read = |name: &str| {
        let text = std::fs::read_to_string(machine.project().join(name));
        text.unwrap_or_else(|error| panic!("{error}: {}\n{:#?}", ran.stderr, ran.events))
    };
    assert!(read("args").contains("do 'it' $now"), "{}", read("args"));
    assert!(!read("seen").contains("RALPH_"), "{}", read("seen"));
    assert!(read("args").contains("\"RALPH_RUN_ID\""), "{}", read("args"));
}

#[test]
fn a_dry_run_names_the_isolation_and_the_place_of_the_command() {
    let machine = machine("sbx");
    for loop_over in [&["run"][..], &["prompt", "-p", "x"]] {
        let args = [loop_over, &["--dry-run", "--sandbox=docker"]].concat();
        let printed = String::from_utf8(call(&machine, &args).stdout).unwrap();
        let line = printed.lines().find(|line| line.starts_with("Isolation of claude: docker: "));
        assert!(line.is_some_and(|line| line.contains("runs inside it")), "{printed}");
        let output = call(&machine, &[&args[..], &["--output", "json"]].concat());
        let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let docker =
            json!({ "agent": "claude", "isolation": "docker", "commandRunsIn": "sandbox" });
        assert_eq!(printed["isolation"][0], docker, "{printed:#}");
        assert_eq!(printed["isolation"][1]["agent"], "checks", "{printed:#}");
    }
    assert_eq!(count(&machine.commands(), "create"), 0);
}

#[test]
fn an_interrupt_while_the_sandbox_is_made_ends_the_run_as_interrupts_do() {
    let machine = machine("sbx");
    let real = machine.beside("bin/sbx-real");
    std::fs::rename(machine.stand_in.program(), &real).unwrap();
    script(
        machine.stand_in.program(),
        "[ \"$1\" = create ] || exec \"${0%/*}/sbx-real\" \"$@\"\n\
         kill -INT \"$RUNNER\"; exec sleep 600",
    );
    script(&machine.beside("bin/start"), "RUNNER=$$ exec \"$@\"");
    machine.write(".ralph/settings.json", r#"{"timeLimits": {"stopGrace": "1ms"}}"#);
    machine.commit();
    let (start, runner) = (machine.beside("bin/start"), program("ralph-loop"));
    let args = [&[runner.to_str().unwrap()][..], &STORIES].concat();
    let output = call_program(&machine, &start, &args);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert_text(&stderr, contains("the run was stopped while creating the sandbox"));
}

#[test]
fn a_missing_sign_in_is_reported_with_a_hint() {
    let machine = machine("sbx");
    let agent = machine.beside("signed-out");
    let result = r#"{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"Not logged in · Please run /login","terminal_reason":"api_error"}"#;
    script(&agent, &format!("echo '{result}'; exit 1"));
    machine.stand_in.agent(&agent).unwrap();
    let ran = run(&machine, &STORIES);
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    let reported = |event: &LoopEvent| matches!(event, LoopEvent::Warning { text } if text.contains("`sbx run ") && text.contains("/login"));
    assert!(ran.events.iter().any(reported), "{}", ran.stderr);
}

#[test]
fn each_lane_has_a_sandbox_with_its_clone_in_which_the_projects_objects_are_read_only() {
    let machine = machine("sbx");
    let ran = run(&machine, &[&STORIES[..], &["--separate"]].concat());
    assert_eq!(ran.code, Some(0), "{}\n{:#?}", ran.stderr, ran.events);
    let calls = machine.calls();
    let creates: Vec<_> = calls.iter().filter(|call| call.words[0] == "create").collect();
    let [create] = creates[..] else { panic!("one lane, {creates:#?}") };
    let paths = &create.words[create.words.iter().position(|word| word == "claude").unwrap() + 1..];
    let lanes = machine.beside("home/.local/state/ralph/lanes");
    assert!(Path::new(&paths[0]).starts_with(lanes) && paths[0].ends_with("/1"), "{paths:?}");
    let of_project = |path: &&String| Path::new(*path).starts_with(machine.project());
    let shown: Vec<&String> = paths.iter().filter(of_project).collect();
    let folders = [".git/objects", ".ralph/runs"];
    let expected = folders.map(|name| format!("{}:ro", machine.project().join(name).display()));
    assert_eq!(shown, expected.each_ref(), "nothing else of the project");
}
