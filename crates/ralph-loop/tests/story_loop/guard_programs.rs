//! The hooks that must exist before a run starts, and runs without them.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use events::{LoopEvent, RunEnd};
use predicates::str::contains;
use test_repo::assert_text;

use crate::harness::{Project, program};
use crate::outcome::Outcome;
use crate::stories::story;

const HOOKS: [&str; 3] = ["stop-guard", "context-monitor", "command-guard"];

/// One story, and in a folder of its own a copy of the program with these hooks beside it.
fn project_with(hooks: &[&str]) -> Project {
    let project = Project::new([story("US-001")]).installed("codex").installed("claude");
    let folder = project.bin().join("programs");
    std::fs::create_dir(&folder).unwrap();
    for name in ["ralph-loop"].iter().chain(hooks) {
        test_repo::place_program(&program(name), &folder.join(name));
    }
    project
}

fn run<'p>(project: &'p Project, args: &[&str]) -> Outcome<'p> {
    let ralph_loop = project.bin().join("programs/ralph-loop");
    let is_said = args.iter().any(|arg| arg.contains("sandbox"));
    let sandbox = if is_said { &[][..] } else { &["--sandbox=guard"] };
    let all = [&["run", "--output", "json"], sandbox, args].concat();
    let output = project.command(&ralph_loop).args(all).output().unwrap();
    Outcome::of_run(project, &output)
}

fn script(path: &Path, text: &str) {
    // Not into the program that it may be a link to.
    std::fs::remove_file(path).ok();
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn missed(run: &Outcome<'_>) -> Vec<String> {
    let missed = run.events.iter().filter_map(|event| match event {
        LoopEvent::HookMissing { why } => Some(why.clone()),
        _ => None,
    });
    missed.collect()
}

#[test]
fn hooks_are_required_only_for_agents_with_hooks() {
    let project = project_with(&[]);
    let claude = run(&project, &["--agent", "claude"]);
    claude.assert_exit(2);
    for hook in HOOKS {
        assert_text(&claude.stderr, contains(format!("{hook} is missing")));
    }
    assert_text(&claude.stderr, contains("\nhint: install all four programs"));
    run(&project, &["--agent", "codex"]).assert_end(RunEnd::Complete);
}

#[test]
fn a_hook_of_another_version_or_one_that_does_not_answer_guards_nothing() {
    let project = project_with(&HOOKS);
    let hook = project.bin().join("programs/command-guard");
    for (text, reported) in [
        ("echo command-guard 0.0.9", "has another version: \"command-guard 0.0.9\""),
        ("echo out of order >&2; exit 3", "does not print its version: out of order"),
    ] {
        script(&hook, text);
        let run = run(&project, &[]);
        run.assert_exit(2);
        assert_text(&run.stderr, contains(reported));
        assert!(!run.stderr.contains("stop-guard"), "the others are fit: {}", run.stderr);
    }
}

#[test]
fn a_run_with_allowed_missing_hooks_warns_every_time() {
    let project = project_with(&[]);
    let run = run(&project, &["--allow-missing-hooks", "--no-sandbox"]);
    run.assert_end(RunEnd::Complete);
    let at_the_start = "hooks are not running in this run";
    let warned = |event: &LoopEvent| matches!(event, LoopEvent::Warning { text } if text.contains(at_the_start));
    assert_eq!(run.events.iter().filter(|event| warned(event)).count(), 1);
    let isolation = |event: &LoopEvent| matches!(event, LoopEvent::IsolationChosen { isolation, .. } if isolation.name() == "none");
    assert!(run.events.iter().any(isolation), "{:?}", run.events);
    assert!(missed(&run).len() >= 2, "in each of its sessions: {:?}", missed(&run));
}

#[test]
fn existing_hooks_are_used_despite_the_flag() {
    let project = project_with(&HOOKS);
    let run = run(&project, &["--allow-missing-hooks", "--no-sandbox"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(missed(&run), [""; 0]);
}
