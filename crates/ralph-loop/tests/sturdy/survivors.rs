//! Processes of another user, which the runner cannot end: the run does not continue beside them.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use events::{LoopEvent, RunEnd};
use predicates::str::contains;
use rustix::process::{Pid, Signal, getuid, kill_process};
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::harness::{Project, Unprivileged, read_pid, say_skipped, tool};

/// Lets an unprivileged user start a process of root; `None` with a message if that is impossible.
fn become_root(project: &Project) -> Option<PathBuf> {
    let program = project.beside("become-root");
    let found = tool("sh").args(["-c", "command -v setpriv"]).output().unwrap().stdout;
    std::fs::copy(String::from_utf8(found).unwrap().trim(), &program).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o4755)).unwrap();
    let works = tool("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&program)
        .args(["--reuid=0", "true"])
        .status();
    if works.is_ok_and(|status| status.success()) {
        return Some(program);
    }
    say_skipped("programs that become root do not work here");
    None
}

/// A process of root's that was left behind, for as long as this lives.
struct Sleeper(PathBuf);

impl Sleeper {
    fn pid(&self) -> i32 {
        read_pid(&self.0).try_into().unwrap()
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let pid = std::fs::read_to_string(&self.0).ok();
        let pid = pid.and_then(|pid| Pid::from_raw(pid.trim().parse().ok()?));
        let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
    }
}

fn leaving(project: &mut Project) -> Option<(Unprivileged, Sleeper, String)> {
    if !getuid().is_root() {
        say_skipped("only root can let another user's process be left behind");
        return None;
    }
    let user = Unprivileged::of(project)?;
    let root = become_root(project)?;
    let pid_file = project.beside("sleeper");
    let sleep = format!("echo $$ > \"{}\"; exec sleep 300", pid_file.display());
    let script = format!(
        "setsid '{}' --reuid=0 sh -c '{sleep}' > /dev/null 2>&1 < /dev/null & \
         until [ -s '{}' ]; do sleep 0.01; done",
        root.display(),
        pid_file.display()
    );
    Some((user, Sleeper(pid_file), script))
}

/// The error names the process with a hint; once the process ended the run resumes. `judged`
/// iterations were over before.
#[track_caller]
fn assert_held_up(
    mut project: Project,
    mut user: Unprivileged,
    sleeper: Sleeper,
    named: &str,
    judged: usize,
) {
    let run = project.run(&[]);
    run.assert_exit(4);
    run.assert_event("the end", |event| {
        matches!(event, LoopEvent::RunEnded(events::RunEnded { end: RunEnd::ProcessesLeft, exit_code: 4, text, .. })
            if text.contains(named) && text.contains(&format!("(pid {})", sleeper.pid())))
    });
    assert_text(&run.stderr, contains(named));
    assert!(run.stderr.contains(&format!("hint: end them with `kill -9 {}`", sleeper.pid())));
    let ended = run.count(|event| matches!(event, LoopEvent::IterationEnded { .. }));
    assert_eq!(ended, judged, "no more is judged beside the process");

    kill_process(Pid::from_raw(sleeper.pid()).unwrap(), Signal::KILL).unwrap();
    project.scenario(&Scenario::new());
    project.run(&[]).assert_exit(0).assert_event("that it resumes", |event| {
        matches!(event, LoopEvent::RunStarted { resumed: Some(_), .. })
    });
    user.give_back(&mut project);
    project.assert_complete();
}

#[test]
fn a_process_of_a_session_that_cannot_be_ended_ends_the_run() {
    let mut project = Project::new(1, &[]);
    let Some((user, sleeper, script)) = leaving(&mut project) else { return };
    let acts = [
        Act::bash(script),
        Act::write("work/US-1.txt", "x\n"),
        Act::submit("n"),
        Act::commit("w"),
        Act::finish("ok"),
    ];
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement), acts));
    assert_held_up(project, user, sleeper, "the agent's session left a process", 0);
}

#[test]
fn a_process_of_a_check_that_cannot_be_ended_ends_the_run() {
    let mut project = Project::new(1, &["sh ../check.sh"]);
    std::fs::write(project.beside("check.sh"), "true\n").unwrap();
    let Some((user, sleeper, script)) = leaving(&mut project) else { return };
    let once = format!("test -e '{0}' || {{ {script}; }}", sleeper.0.display());
    std::fs::write(project.beside("check.sh"), once).unwrap();
    assert_held_up(project, user, sleeper, "the check `sh ../check.sh` left a process", 0);
}

#[test]
fn a_process_of_a_push_that_cannot_be_ended_ends_the_run() {
    let mut project = Project::new(1, &[]);
    test_repo::git(project.root(), &["remote", "add", "origin", "../remote.git"]);
    let program = project.beside("push");
    let settings = serde_json::json!({"scm": {"command": program, "tasks": ["push"]}});
    std::fs::create_dir_all(project.layout().data_dir()).unwrap();
    std::fs::write(project.layout().local_settings(), settings.to_string()).unwrap();
    let Some((user, sleeper, script)) = leaving(&mut project) else { return };
    let once = format!("#!/bin/sh\ntest -e '{0}' || {{ {script}; }}\n", sleeper.0.display());
    std::fs::write(&program, once).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    assert_held_up(project, user, sleeper, "push` left a process", 1);
}

/// Neither the runner nor the keeper lets a process of the same user look into it or change it.
#[test]
fn the_agent_cannot_look_into_the_runner_or_its_keeper() {
    let mut project = Project::new(1, &[]);
    let Some(mut user) = Unprivileged::of(&mut project) else { return };
    let seen = project.beside("tmp/seen");
    let script = format!(
        "keeper=$(cut -d' ' -f4 /proc/$PPID/stat); runner=$(cut -d' ' -f4 /proc/$keeper/stat); \
         for pid in $PPID $keeper $runner; do \
         head -c 1 /proc/$pid/mem 2>&1 | grep -c 'Permission denied' >> '{}'; done; true",
        seen.display()
    );
    let acts = [
        Act::bash(script),
        Act::write("work/US-1.txt", "x\n"),
        Act::submit("n"),
        Act::commit("w"),
        Act::finish("ok"),
    ];
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts));
    let run = project.run(&[]);
    user.give_back(&mut project);
    run.assert_exit(0);
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(seen.ends_with("1\n1\n"), "agent, keeper, runner: {seen:?}");
}
