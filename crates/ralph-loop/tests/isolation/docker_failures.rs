//! Each failing step is named with the output of the command line, and ends the run with 2.

use events::StopSignal;
use predicates::str::contains;
use test_repo::assert_text;

use crate::docker_harness::Machine;

#[test]
fn every_step_of_the_preparation() {
    let steps = [
        ("version", "`sbx version` failed"),
        ("ls", "listing the sandboxes failed"),
        ("create", "creating the sandbox failed"),
        ("exec-root", "linking Claude Code's files in the sandbox failed"),
        ("exec", "setting the git identity in the sandbox failed"),
    ];
    for (step, words) in steps {
        let mut machine = Machine::with_sbx();
        machine.stand_in.fail_at(step).unwrap();
        let error = machine.prepare().unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with(words), "{text}");
        assert_text(&text, contains(format!("set to fail at {step}")));
        assert_eq!(error.exit_code(), 2);
        assert!(error.hint().is_some());
    }
}

#[test]
fn a_sandbox_that_does_not_stop_keeps_a_new_run_from_beginning() {
    let mut machine = Machine::with_docker();
    machine.prepare().unwrap();
    machine.stand_in.fail_at("stop").unwrap();
    let error = machine.prepare().unwrap_err();
    assert!(error.to_string().starts_with("stopping the sandbox failed"), "{error}");
    assert!(error.hint().unwrap().contains("Docker Desktop"), "{:?}", error.hint());
}

#[test]
fn a_file_that_cannot_be_written_through_is_named_by_its_step() {
    let mut machine = Machine::with_docker();
    let mut sandbox = machine.prepare().unwrap();
    machine.stand_in.fail_at("exec").unwrap();
    let marker = machine.layout.marker();
    std::fs::write(&marker, "{}").unwrap();
    let error = sandbox.before_session(machine.context(), &[machine.layout.marker()]).unwrap_err();
    assert!(error.to_string().starts_with("writing a file in the sandbox failed"), "{error}");
}

#[test]
fn a_list_without_json_is_read_from_the_table() {
    let mut machine = Machine::with_sbx();
    machine.prepare().unwrap();
    // As `sbx ls --json` did for a while when its daemon had to be started.
    let real = machine.beside("bin/sbx-real");
    std::fs::rename(machine.stand_in.program(), &real).unwrap();
    let script = "#!/bin/sh\n[ \"$2\" = --json ] && { echo '{'; exit 0; }\nexec \"${0%/*}/sbx-real\" \"$@\"\n";
    std::fs::write(machine.stand_in.program(), script).unwrap();
    use std::os::unix::fs::PermissionsExt;
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(machine.stand_in.program(), runs).unwrap();
    machine.calls();
    machine.prepare().unwrap();
    assert_eq!(machine.commands(), ["version", "ls", "stop"]);
}

#[test]
fn an_interrupt_is_reported_with_its_exit_code() {
    for (signal, code) in [(StopSignal::Interrupt, 130), (StopSignal::Terminate, 143)] {
        let mut machine = Machine::with_docker();
        let mut sandbox = machine.prepare().unwrap();
        machine.switch.request(signal);
        let marker = machine.layout.marker();
        std::fs::write(&marker, "{}").unwrap();
        let stopped = sandbox.before_session(machine.context(), &[marker]).unwrap_err();
        assert_eq!(stopped.to_string(), "the run was stopped while writing a file in the sandbox");
        assert_eq!(stopped.exit_code(), code);
        let stopped = machine.prepare().unwrap_err();
        // A program that answers before it is stopped leaves it to the next one.
        assert!(stopped.to_string().starts_with("the run was stopped while "), "{stopped}");
        assert_eq!(stopped.exit_code(), code);
    }
}
