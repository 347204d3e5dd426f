//! Steps before and after sessions in a sandbox.

use std::fs;
use std::path::Path;

use agents::{CommandLine, Value};
use engine::isolation::docker::DockerSandbox;
use events::StopSignal;
use serde_json::json;

use crate::docker_harness::Machine;

/// Made, and everything until then forgotten.
fn made(machine: &mut Machine) -> DockerSandbox {
    let sandbox = machine.prepare().unwrap();
    machine.calls();
    sandbox
}

fn session(machine: &Machine, sandbox: &mut DockerSandbox) {
    sandbox.before_session(machine.context(), &[machine.layout.marker()]).unwrap();
    sandbox.after_session(machine.context());
}

#[test]
fn a_restart_shows_changes_of_the_host_and_happens_only_if_needed() {
    let mut machine = Machine::with_docker().with_git();
    let mut sandbox = made(&mut machine);
    let session = |sandbox: &mut DockerSandbox| session(&machine, sandbox);
    session(&mut sandbox);
    session(&mut sandbox);
    assert_eq!(machine.commands(), ["exec", "exec"], "nothing but the marker that is not there");
    let edits: [&dyn Fn(); 4] = [
        &|| machine.write("file", "22"),
        &|| machine.write("file", "333"),
        &|| machine.write("new", ""),
        &|| machine.commit(),
    ];
    for edit in edits {
        edit();
        session(&mut sandbox);
        assert_eq!(machine.commands(), ["stop"]);
        session(&mut sandbox);
        assert_eq!(machine.commands(), ["exec"]);
    }
}

#[test]
fn changes_of_the_runner_need_no_restart() {
    let mut machine = Machine::with_docker().with_git();
    let mut sandbox = made(&mut machine);
    session(&machine, &mut sandbox);
    fs::create_dir_all(machine.project().join(".ralph/runs/1")).unwrap();
    machine.write(".ralph/runs/1/log", "x");
    fs::write(machine.layout.marker(), "{}").unwrap();
    machine.calls();
    session(&machine, &mut sandbox);
    assert_eq!(machine.commands(), ["exec-write"]);
}

#[test]
fn files_that_are_the_hosts_own_need_neither() {
    let mut machine = Machine::with_sbx().with_git();
    let mut sandbox = made(&mut machine);
    for contents in ["2", "3"] {
        machine.write("file", contents);
        session(&machine, &mut sandbox);
    }
    assert_eq!(machine.commands(), Vec::<String>::new());
}

#[test]
fn a_new_run_ends_what_still_works_in_the_sandbox_and_lets_it_see_everything() {
    for mut machine in [Machine::with_sbx(), Machine::with_docker()] {
        made(&mut machine);
        machine.write("edited between sessions", "");
        let mut sandbox = machine.prepare().unwrap();
        assert_eq!(machine.commands(), ["version", "ls", "stop"]);
        sandbox.before_session(machine.context(), &[machine.layout.marker()]).unwrap();
        assert_eq!(machine.commands(), Vec::<String>::new(), "what is stopped sees it all later");
    }
}

#[test]
fn an_ended_session_does_not_continue_in_the_sandbox() {
    for mut machine in [Machine::with_sbx(), Machine::with_docker()] {
        let mut sandbox = made(&mut machine);
        sandbox.after_session(machine.context());
        assert_eq!(machine.commands(), Vec::<String>::new());
        machine.switch.request(StopSignal::Terminate);
        sandbox.after_interrupted_session(machine.context()).unwrap();
        assert_eq!(machine.commands(), ["stop"]);
        sandbox.before_session(machine.context(), &[machine.layout.marker()]).unwrap();
        assert_eq!(machine.commands(), Vec::<String>::new());
    }
}

#[test]
fn a_sandbox_that_would_not_stop_is_stopped_before_the_next_session() {
    let mut machine = Machine::with_sbx();
    let mut sandbox = made(&mut machine);
    machine.stand_in.fail_at("stop").unwrap();
    sandbox.after_interrupted_session(machine.context()).unwrap_err();
    let refused = sandbox.before_session(machine.context(), &[]).unwrap_err();
    assert!(refused.to_string().starts_with("stopping the sandbox failed"), "{refused}");
    machine.stand_in.fail_at("").unwrap();
    machine.calls();
    sandbox.before_session(machine.context(), &[]).unwrap();
    assert_eq!(machine.commands(), ["stop"]);
}

#[test]
fn a_session_is_called_through_run_with_its_environment_in_the_settings() {
    let mut machine = Machine::with_sbx();
    let sandbox = made(&mut machine);
    let shown = |value: &str| Value::Shown(value.into());
    let command = CommandLine {
        program: "/opt/claude".into(),
        args: ["-p", "--verbose"].map(Into::into).into(),
        environment: vec![
            ("CLAUDECODE".into(), Value::Removed),
            ("RALPH_RUN_ID".into(), shown("r-1")),
            ("TWICE".into(), shown("early")),
            ("KEY".into(), Value::Secret("hush".into())),
            ("TWICE".into(), shown("late")),
        ],
        stdin: "the prompt".into(),
    };
    let wrapped = sandbox.wrap(command.clone()).unwrap();
    assert_eq!(wrapped.program, machine.stand_in.program());
    assert_eq!((wrapped.stdin.as_str(), &wrapped.environment), ("", &command.environment));
    let args: Vec<&str> = wrapped.args.iter().map(|arg| arg.to_str().unwrap()).collect();
    let (settings, before) = args.split_last().unwrap();
    let run = ["run", "-e", "KEY", "--name", sandbox.name(), "--"];
    assert_eq!(before, [&run[..], &["-p", "the prompt", "--verbose", "--settings"]].concat());
    let settings: serde_json::Value = serde_json::from_str(settings).unwrap();
    assert_eq!(settings, json!({"env": {"RALPH_RUN_ID": "r-1", "TWICE": "late"}}));
    assert!(!wrapped.call().contains("hush"));
}

#[test]
fn an_older_sbx_and_docker_take_the_name_as_an_argument_and_no_secrets() {
    let old = Machine::with_sbx();
    old.stand_in.version("sbx version: v0.32.0 abc").unwrap();
    for (mut machine, run) in [(old, vec!["run"]), (Machine::with_docker(), vec!["sandbox", "run"])]
    {
        let sandbox = made(&mut machine);
        let mut command = CommandLine {
            program: Path::new("claude").into(),
            args: vec!["-p".into()],
            environment: vec![],
            stdin: "x".into(),
        };
        let words = sandbox.wrap(command.clone()).unwrap().args;
        let whole = [&run[..], &[sandbox.name(), "--", "-p", "x"]].concat();
        assert_eq!(words, whole);
        command.environment = vec![("KEY".into(), Value::Secret("hush".into()))];
        let refused = sandbox.wrap(command).unwrap_err();
        assert!(refused.to_string().contains("cannot pass the secret KEY"), "{refused}");
    }
}
