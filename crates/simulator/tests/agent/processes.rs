//! Signals, leftover processes, and very long output.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpgid, getsid, kill_process, test_kill_process};
use simulator::{Act, Lingering, Scenario, When};

use crate::project::{Project, finish};

/// Starts the agent and waits until a line contains the text.
fn started(project: &Project, acts: impl IntoIterator<Item = Act>, text: &str) -> Child {
    let mut child = project.play(&Scenario::new().rule(When::any(), acts)).start();
    drop(child.stdin.take());
    await_line(&mut child, text);
    child
}

fn await_line(child: &mut Child, text: &str) {
    // Unbuffered, so that the next reader gets the rest.
    let pipe = child.stdout.as_mut().unwrap();
    let mut line = Vec::new();
    let mut byte = [0];
    while pipe.read(&mut byte).unwrap() == 1 {
        line.push(byte[0]);
        if byte[0] == b'\n' {
            if String::from_utf8_lossy(&line).contains(text) {
                return;
            }
            line.clear();
        }
    }
    panic!("the stream ended without {text:?}");
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

fn pid_in(project: &Project, file: &str) -> Pid {
    Pid::from_raw(project.read(&format!("repo/{file}")).trim().parse().unwrap()).unwrap()
}

fn await_that(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn sigterm_ends_it_without_a_result() {
    let project = Project::implement();
    let child = started(&project, [Act::say("here"), Act::Hang { ignores_signals: false }], "here");
    signal(&child, Signal::TERM);
    let ended = finish(child);
    assert_eq!((ended.status.code(), ended.has_result()), (Some(143), false));
}

#[test]
fn sigint_ends_it_with_a_result_that_is_an_error() {
    let project = Project::implement();
    let child = started(&project, [Act::say("here"), Act::Hang { ignores_signals: false }], "here");
    signal(&child, Signal::INT);
    let ended = finish(child);
    let result = ended.result();
    assert_eq!(
        (&result["is_error"], &result["subtype"]),
        (&true.into(), &"error_during_execution".into())
    );
    assert_eq!(result["terminal_reason"], "aborted_streaming");
}

#[test]
fn sigterm_ends_the_running_command_too() {
    let project = Project::implement();
    let command = "sleep 60 & echo $! >sleeper; echo $$ >pid; mv pid shell; wait";
    let child = started(&project, [Act::bash(command)], "tool_use");
    await_that("the command began", || project.path().join("shell").exists());
    let shell = pid_in(&project, "shell");
    assert_eq!(getsid(Some(shell)), Ok(shell), "it has a session of its own");
    signal(&child, Signal::INT);
    let ended = finish(child);
    assert_eq!(ended.result()["terminal_reason"], "aborted_tools");
    await_that("the command is gone", || test_kill_process(shell).is_err());
    let sleeper = pid_in(&project, "sleeper");
    await_that("and what it started", || test_kill_process(sleeper).is_err());
}

#[test]
fn an_agent_that_ignores_signals_ends_only_with_sigkill() {
    let project = Project::implement();
    let signals = Act::bash("kill -INT $PPID; kill -TERM $PPID; echo sent");
    let acts = [signals, Act::say("still here"), Act::Hang { ignores_signals: true }];
    let mut child = started(&project, acts, "still here");
    assert!(child.try_wait().unwrap().is_none(), "it listened");
    child.kill().unwrap();
    assert!(!finish(child).has_result());
}

#[test]
fn a_lingering_agent_has_printed_everything() {
    let project = Project::implement();
    let mut child = started(&project, [Act::Linger(Lingering::Forever)], "\"result\"");
    assert!(child.try_wait().unwrap().is_none());
    signal(&child, Signal::INT);
    let ended = finish(child);
    assert!(ended.stdout.is_empty(), "nothing follows the result");
    let ended = project
        .play(&Scenario::new().rule(When::any(), [Act::Linger(Lingering::Ms(1))]))
        .complete();
    assert!(ended.status.success());
}

#[test]
fn a_daemon_outlives_the_agent_in_a_session_of_its_own() {
    let project = Project::implement();
    let daemon = Act::Daemon { command: "exec sleep 60".into(), pid_file: "daemon.pid".into() };
    let mut child = project.play(&Scenario::new().rule(When::any(), [daemon])).start();
    let agent = Pid::from_child(&child);
    let group = getpgid(Some(agent)).unwrap();
    drop(child.stdin.take());
    assert!(finish(child).status.success());
    let daemon = pid_in(&project, "daemon.pid");
    assert_eq!(test_kill_process(daemon), Ok(()));
    assert_ne!(getpgid(Some(daemon)), Ok(group));
    kill_process(daemon, Signal::KILL).unwrap();
}

#[test]
fn a_background_process_of_a_command_does_not_delay_the_agent() {
    let project = Project::implement();
    let command = "sleep 60 & echo $! >left";
    let ended = project.play(&Scenario::new().rule(When::any(), [Act::bash(command)])).complete();
    assert!(ended.status.success());
    kill_process(pid_in(&project, "left"), Signal::KILL).unwrap();
}

#[test]
fn an_agent_that_does_not_read_ends_while_its_input_is_open() {
    let project = Project::implement();
    let scenario = Scenario::new().rule(When::any(), [Act::say("deaf ears"), Act::NotReading]);
    let mut child = project.play(&scenario).start();
    let mut stdin = child.stdin.take().unwrap();
    assert!(finish(child).status.success());
    assert!(stdin.write_all(&vec![b'x'; 1 << 20]).is_err(), "the agent does not read");
}

#[test]
fn a_flood_is_as_large_as_asked_for_and_made_of_lines() {
    let project = Project::implement();
    let flood = Act::Flood { bytes: 5_000_000, line_bytes: 2000 };
    let ended = project.play(&Scenario::new().rule(When::any(), [flood])).complete();
    assert!((5_000_000..5_100_000).contains(&ended.stdout.len()), "{}", ended.stdout.len());
    let lengths: Vec<_> =
        BufReader::new(&ended.stdout[..]).lines().map(|l| l.unwrap().len()).collect();
    assert_eq!(lengths.len(), ended.lines.len(), "every line is JSON");
    assert_eq!(lengths.iter().filter(|length| **length == 1999).count(), 2500);
    ended.result();
}
