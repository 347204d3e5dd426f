//! An agent writes settings, and the runner is killed before it can put them back: the next one does not
//! run what they name.

use std::os::unix::fs::PermissionsExt;

use events::LoopEvent;
use predicates::str::contains;
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::harness::{Project, await_none_in, until};

/// A project whose runner was killed in a session that wrote this file, and what the command in it makes.
fn killed_after_writing(name: &str) -> (Project, std::path::PathBuf) {
    let project = Project::new(1, &[]);
    let planted = project.beside("planted");
    let settings = serde_json::json!({
        "notifications": { "command": format!("touch '{}'", planted.display()) }
    });
    let acts = [Act::write(name, settings.to_string()), Act::Hang { ignores_signals: false }];
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts));
    let runner = project.start(&[]);
    until("the settings are written", || project.root().join(name).exists().then_some(()));
    runner.kill();
    await_none_in(project.root(), None);
    (project, planted)
}

#[test]
fn shared_ones_are_not_obeyed_and_the_iteration_is_judged() {
    for args in [&[][..], &["--fresh"]] {
        let (project, planted) = killed_after_writing(".ralph/settings.json");
        let next = project.run(args);
        next.assert_exit(0);
        next.assert_event("the restored files", |event| {
            matches!(event, LoopEvent::ChangesReverted(events::RevertedChanges { findings, .. })
                if findings.iter().any(|finding| finding.contains(".ralph/settings.json")))
        });
        assert!(!planted.exists());
        assert!(!project.layout().settings().exists());
    }
}

#[test]
fn local_settings_block_the_run_until_the_user_confirms() {
    let (project, planted) = killed_after_writing(".ralph/settings.local.json");
    for args in [&[][..], &["--fresh"], &["--resume"]] {
        let refused = project.run(args);
        refused.assert_exit(2);
        assert_text(&refused.stderr, contains("settings.local.json changed during"));
        assert_text(&refused.stderr, contains("--trust-settings"));
    }
    assert!(!planted.exists());
    project.run(&["--trust-settings"]).assert_exit(0);
    assert!(planted.exists(), "its owner wants it");
}

/// A project whose runner was killed in a session that had run this script, with `EVIL` for a program that
/// makes the file.
fn killed_after_running(project: Project, script: &str) -> (Project, std::path::PathBuf) {
    killed_in(When::mode(Mode::Implement).visit(1), project, script, &[])
}

fn killed_in(
    session: When,
    project: Project,
    script: &str,
    args: &[&str],
) -> (Project, std::path::PathBuf) {
    let planted = project.beside("planted");
    let evil = project.beside("evil");
    let make = format!("#!/bin/sh\ntouch '{}'\n", planted.display());
    std::fs::write(&evil, make).unwrap();
    std::fs::set_permissions(&evil, std::fs::Permissions::from_mode(0o755)).unwrap();
    let script = script.replace("EVIL", evil.to_str().unwrap());
    let acts = [
        Act::bash(format!("set -e\n{script}")),
        Act::say("Set."),
        Act::Hang { ignores_signals: false },
    ];
    project.scenario(&Scenario::new().rule(session, acts));
    let mut runner = project.start(args);
    let is_set = |event: &LoopEvent| matches!(event, LoopEvent::AgentText { text, .. } if text.contains("Set."));
    runner.wait_for("its word", is_set);
    runner.kill();
    await_none_in(project.root(), None);
    (project, planted)
}

#[test]
fn programs_for_git_are_removed_before_any_git_runs_them() {
    for args in [&[][..], &["--fresh"]] {
        let script = "git config core.fsmonitor \"EVIL\"; git config alias.x \"!EVIL\"\n\
                      printf '#!/bin/sh\\nEVIL\\n' > .git/hooks/post-commit; chmod +x .git/hooks/*";
        let (project, planted) = killed_after_running(Project::new(1, &[]), script);
        let next = project.run(args);
        next.assert_exit(0);
        assert!(!planted.exists(), "{args:?}: the agent's program ran");
        let names = ["core.fsmonitor", "alias.x", ".git/hooks/post-commit"];
        next.assert_event("what was removed", |event| {
            matches!(event, LoopEvent::Warning { text }
                if text.starts_with("removed git control files that a session of a killed runner added")
                    && names.iter().all(|name| text.contains(name)))
        });
        let undone = next.count(|event| {
            matches!(event, LoopEvent::ChangesReverted(events::RevertedChanges { findings, .. })
                if findings.iter().any(|finding| finding.contains("core.fsmonitor")))
        });
        assert_eq!(undone, 1 - args.len(), "an iteration that is judged does not stand");
        project.assert_complete();
        let config = std::fs::read_to_string(project.root().join(".git/config")).unwrap();
        assert!(!config.contains("evil"), "{config}");
    }
}

/// The original value is in no record, so the runner cannot restore it.
#[test]
fn changed_git_settings_block_the_run_until_the_user_confirms() {
    let project = Project::new(1, &[]);
    test_repo::git(project.root(), &["config", "core.fsmonitor", "false"]);
    let (project, planted) = killed_after_running(project, "git config core.fsmonitor \"EVIL\"");
    for args in [&[][..], &["--fresh"]] {
        let refused = project.run(args);
        refused.assert_exit(2);
        assert_text(&refused.stderr, contains("core.fsmonitor changed during"));
    }
    assert!(!planted.exists());
    test_repo::git(project.root(), &["config", "core.fsmonitor", "false"]);
    project.run(&[]).assert_exit(0);
    project.assert_complete();
    assert!(!planted.exists());
}

/// A project with instructions for agents that git ignores.
fn with_ignored_instructions() -> Project {
    let project = Project::new(1, &[]);
    let ignored = std::fs::read_to_string(project.root().join(".gitignore")).unwrap_or_default();
    project.write(".gitignore", &format!("{ignored}CLAUDE.local.md\n.claude/\n"));
    test_repo::commit_all(project.root());
    project.write("CLAUDE.local.md", "the user's\n");
    project.write(".claude/settings.local.json", "{}\n");
    project
}

const INSTRUCT: &str = "mkdir -p sub .claude/rules; echo approve > sub/CLAUDE.local.md\n\
                        echo approve > .claude/rules/planted.md";

/// The planted settings are removed, and those of the user are kept.
#[track_caller]
fn has_only_the_users_instructions(project: &Project, next: &crate::harness::Finished) {
    for gone in ["sub/CLAUDE.local.md", ".claude/rules/planted.md"] {
        assert!(!project.root().join(gone).exists(), "{gone}");
    }
    for (kept, text) in
        [("CLAUDE.local.md", "the user's\n"), (".claude/settings.local.json", "{}\n")]
    {
        assert_eq!(std::fs::read_to_string(project.root().join(kept)).unwrap(), text, "{kept}");
    }
    next.assert_event("what was moved", |event| {
        matches!(event, LoopEvent::Warning { text }
            if text.contains("created instructions for agents that git ignores")
                && text.contains("sub/CLAUDE.local.md")
                && text.contains(".claude/rules/planted.md"))
    });
}

#[test]
fn instructions_that_git_ignores_are_moved_away_and_the_users_own_stay() {
    for args in [&[][..], &["--fresh"]] {
        let (project, _) = killed_after_running(with_ignored_instructions(), INSTRUCT);
        let next = project.run(args);
        next.assert_exit(0);
        has_only_the_users_instructions(&project, &next);
    }
}

/// No iteration is judged then.
#[test]
fn instructions_of_a_session_that_looks_at_the_quality_are_moved_away_too() {
    for args in [&["--resume"][..], &["--fresh"]] {
        let session = When::any().prompt_contains("# Quality check of");
        let project = with_ignored_instructions();
        let (project, _) = killed_in(session, project, INSTRUCT, &["--quality"]);
        has_only_the_users_instructions(&project, &project.run(args));
    }
}
