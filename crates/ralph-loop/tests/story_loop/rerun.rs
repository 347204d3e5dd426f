//! A run after one that ended before completion: on a terminal, people are asked.

use events::RunEnd;
use pty_process::blocking;
use serde_json::json;

use crate::harness::{Project, program};
use crate::stories::story;
use crate::terminal::{CTRL_C, CTRL_D, Terminal};

const QUESTION: &str = "Fresh or resume? ";

/// A run that has used up the one iteration it had.
fn unfinished() -> Project {
    let project = Project::new([story("US-001")]);
    project.run(["-n", "1"]).assert_end(RunEnd::IterationsUsed);
    project
}

#[track_caller]
fn on_terminal(project: &Project, args: &[&str]) -> Terminal {
    let agent = program("simulated-agent");
    let command = blocking::Command::new(program("ralph-loop"))
        .args(["run", "--sandbox=guard", "--agent-program", agent.to_str().unwrap()])
        .args(args)
        .env_clear()
        .envs(project.environment())
        .current_dir(project.path());
    Terminal::start(command)
}

/// Run and iterations of the last one.
fn counted(project: &Project) -> (String, u64) {
    let state = project.state();
    (state["runId"].as_str().unwrap().into(), state["counters"]["iterations"].as_u64().unwrap())
}

fn change_state(project: &Project, change: impl FnOnce(&mut serde_json::Value)) {
    let mut state = project.state();
    change(&mut state);
    project.write(".ralph/state.json", state.to_string());
}

#[test]
fn enter_begins_anew_where_the_last_run_has_nothing_left() {
    let project = unfinished();
    let (first, _) = counted(&project);
    let mut terminal = on_terminal(&project, &["-n", "1"]);
    terminal
        .expect(") ended: iteration limit reached · 1 iteration")
        .expect("no iterations left: add more with `ralph-loop --resume -n 2`")
        .answer("Fresh or resume? [f]: ", "");
    let finished = terminal.finish();
    assert_eq!(finished.code, Some(0), "the review was all that was missing: {}", finished.screen);
    let (second, iterations) = counted(&project);
    assert!(second != first && iterations == 1, "{second} {iterations}");
}

#[test]
fn resume_keeps_the_counters() {
    let project = unfinished();
    let (first, _) = counted(&project);
    let mut terminal = on_terminal(&project, &["-n", "5"]);
    terminal
        .expect("(4 of 5 iterations left)")
        .answer("Fresh or resume? [r]: ", "maybe")
        .answer(QUESTION, "");
    let finished = terminal.finish();
    assert_eq!(finished.code, Some(0), "{}", finished.screen);
    assert_eq!(counted(&project), (first, 2));
}

#[test]
fn leaving_the_question_starts_nothing() {
    let project = unfinished();
    let aside = json!({
        "givenUpAt": "2026-11-15T01:02:03Z", "reason": "attempts-used", "attempts": 5, "of": 5,
        "lastGate": "tests", "error": "it fails", "errorHash": "a3f2b7c1", "stuck": {"kind": "no"},
        "branch": "wip/ralph-fail-US-001", "commits": {"kind": "rewound"}, "dependants": [],
    });
    change_state(&project, |state| {
        state["ended"] = json!("stories-failed");
        state["stories"]["US-001"]["givenUp"] = aside;
    });
    let before = project.listing();
    for keys in [CTRL_C, CTRL_D] {
        let mut terminal = on_terminal(&project, &[]);
        terminal
            .expect("ended: stories failed")
            .expect("US-001 given up after 5 of 5 attempts (tests): wip/ralph-fail-US-001\r\n")
            .expect(QUESTION)
            .press(keys);
        let finished = terminal.finish();
        assert_eq!(finished.code, Some(130), "{}", finished.screen);
        assert!(finished.screen.ends_with("\nStopped: nothing was started.\n"));
        assert_eq!(project.listing(), before);
    }
}

#[test]
fn a_flag_or_machine_output_skips_the_question() {
    for args in [&["--fresh"][..], &["--resume", "-n", "5"], &["--output", "json"], &["--dry-run"]]
    {
        let project = unfinished();
        let finished = on_terminal(&project, args).finish();
        assert_eq!(finished.code, Some(0), "{args:?}: {}", finished.screen);
        assert!(!finished.screen.contains(QUESTION), "{args:?}: {}", finished.screen);
    }
}

#[test]
fn nothing_is_asked_where_it_is_plain() {
    let (done, first) = (unfinished(), Project::new([story("US-001")]));
    done.run([]).assert_end(RunEnd::Complete);
    let cut_off = unfinished();
    change_state(&cut_off, |state| state["ended"] = json!("interrupted"));
    let before = counted(&cut_off);
    for project in [&first, &done, &cut_off] {
        let finished = on_terminal(project, &["-n", "5"]).finish();
        assert_eq!(finished.code, Some(0), "{}", finished.screen);
        assert!(!finished.screen.contains(QUESTION), "{}", finished.screen);
    }
    assert_eq!(counted(&cut_off), (before.0, before.1 + 1), "it resumed automatically");

    let broken = unfinished();
    broken.write(".ralph/state.json", "{");
    let finished = on_terminal(&broken, &[]).finish();
    assert_eq!(finished.code, Some(2), "{}", finished.screen);
    assert!(finished.screen.contains("state.json is invalid"), "{}", finished.screen);
    assert!(!finished.screen.contains(QUESTION), "{}", finished.screen);
}

/// The list of another branch differs only in the branch name.
#[test]
fn started_from_another_branch_what_is_done_stays_done() {
    for start in ["--resume", "--fresh"] {
        let project = Project::new(["US-001", "US-002"].map(story));
        let home = project.git(&["branch", "--show-current"]);
        project.run(["-n", "2"]).assert_end(RunEnd::IterationsUsed);
        project.git(&["switch", "-q", &home]);
        let run = project.run([start, "-n", "4"]);
        run.assert_end(RunEnd::Complete);
        assert_eq!(run.assignments(), ["implement US-002", "review US-002"], "{start}");
        assert_eq!(run.findings(), "", "{start}");
    }
}
