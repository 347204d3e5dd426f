//! The isolation of the agent, the command guard, and their events.

use assert_fs::TempDir;
use events::{HookAnswerKind, LoopEvent};
use predicates::str::contains;
use serde_json::{Value, json};
use simulator::{Act, IGNORE_DENIALS_VARIABLE, Mode, Scenario, When};
use test_repo::assert_text;

use crate::harness::{Project, program};
use crate::outcome::Outcome;
use crate::stories::story;

/// With an agent that obeys denials, and programs only in `path`.
fn call(project: &Project, path: Option<&TempDir>, args: &[&str]) -> std::process::Output {
    let mut command = project.command(&program("ralph-loop"));
    command.env_remove(IGNORE_DENIALS_VARIABLE);
    if let Some(path) = path {
        command.env("PATH", path.path());
    }
    command.args(args).output().unwrap()
}

fn run<'p>(project: &'p Project, args: &[&str]) -> Outcome<'p> {
    let agent = program("simulated-agent");
    let fixed = ["run", "--output", "json", "--agent-program", agent.to_str().unwrap()];
    Outcome::of_run(project, &call(project, None, &[&fixed, args].concat()))
}

fn first_work(acts: Vec<Act>) -> Scenario {
    Scenario::new().rule(When::mode(Mode::Implement).story("US-001").visit(1), acts)
}

fn bash(command: &str) -> Act {
    Act::Bash { command: command.into() }
}

/// The reasons of denials by hooks.
fn refusals(run: &Outcome<'_>) -> Vec<String> {
    let refused = run.events.iter().filter_map(|event| match event {
        LoopEvent::HookAnswered { answer: HookAnswerKind::Blocked, text, .. } => Some(text.clone()),
        _ => None,
    });
    refused.collect()
}

fn isolations(run: &Outcome<'_>) -> Vec<String> {
    let chosen = run.events.iter().filter_map(|event| match event {
        LoopEvent::IsolationChosen { agent, isolation, .. } => {
            Some(format!("{agent}: {isolation}"))
        }
        _ => None,
    });
    chosen.collect()
}

#[test]
fn a_missing_sandbox_ends_the_run_before_it_starts() {
    let nothing = TempDir::new().unwrap();
    let agent = program("simulated-agent");
    let agent = ["--agent-program", agent.to_str().unwrap()];
    for (flag, why, way_out) in [
        ("--sandbox=docker", "docker: neither `sbx` nor `docker sandbox` is installed", "sbx"),
        ("--sandbox=os", "os: ", "bubblewrap"),
        ("--sandbox", "docker: neither", "; or "),
    ] {
        let project = Project::new([story("US-001")]);
        let output = call(&project, Some(&nothing), &[&["run", flag], &agent[..]].concat());
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{flag}: {stderr}");
        assert!(
            stderr.contains("the sandbox is not available") && stderr.contains(why),
            "{stderr}"
        );
        assert!(stderr.contains("hint: ") && stderr.contains(way_out), "{stderr}");
        assert!(!project.has(".ralph/runs"), "{flag}");
    }
}

#[test]
fn an_agent_without_hooks_has_no_guard_and_the_run_reports_it() {
    let project = Project::new([story("US-001")]).installed("codex");
    let auto = project.run_installed(["--agent", "codex", "--no-sandbox", "-n", "1"]);
    assert_eq!(isolations(&auto), ["codex: none", "checks: none"]);
}

#[test]
fn the_isolation_is_reported_once_for_each_agent() {
    let project = Project::new([story("US-001")]).installed("codex");
    let run = run(&project, &["--no-sandbox", "-n", "1"]);
    assert_eq!(isolations(&run), ["claude: guard", "checks: none"]);
    let project = Project::new([story("US-001")]).installed("claude").installed("codex");
    let mixed = project.run_installed(["--review-agent", "codex", "-n", "1"]);
    let reported = isolations(&mixed);
    assert!(reported.len() == 3 && reported[1] == "codex: none", "{reported:?}");
}

#[test]
fn a_denied_command_does_not_run_and_the_agent_continues() {
    // The path does not exist, in case the command runs.
    let delete = "touch ran.txt; sh -c 'rm -rf /opt/no-such-folder-of-ralph'";
    let project = Project::new([story("US-001")]).scenario(first_work(vec![
        bash(delete),
        Act::Write { path: ".ralph-active".into(), contents: "{}".into() },
        Act::Write { path: "work.txt".into(), contents: "done".into() },
        Act::Submit { notes: "done".into() },
        Act::Commit { message: "work".into() },
    ]));
    let run = run(&project, &["--no-sandbox", "-n", "1"]);
    assert!(!project.has("ran.txt"));
    let refused = refusals(&run);
    assert!(refused.iter().any(|text| text.contains("recursive-delete")), "{refused:?}");
    assert!(refused.iter().any(|text| text.contains("loop-tampering")), "{refused:?}");
    assert_eq!(run.guards_missing(), 0);
    assert_eq!(project.story("US-001")["reviewStatus"], "needs_review");
}

#[test]
fn the_projects_own_rules_reach_the_guard() {
    let settings = json!({ "commandGuard": {
        "allow": ["sudo true"], "deny": ["echo forbidden*"],
    } });
    let project = Project::new([story("US-001")]).settings(&settings).scenario(first_work(vec![
        bash("sudo true"),
        bash("env echo forbidden word"),
        bash("sudo false"),
    ]));
    let run = run(&project, &["--no-sandbox", "-n", "1"]);
    let refused = refusals(&run);
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused[0].contains("own-rule") && refused[1].contains("sudo false"), "{refused:?}");
}

#[test]
fn settings_of_claude_code_are_the_users_while_a_loop_runs() {
    let own = r#"{"permissions": {}}"#;
    let project = Project::new([story("US-001")]);
    project.write(".claude/settings.json", own);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "settings"]);
    let off = r#"{"disableAllHooks": true}"#;
    let write = |path: &str| Act::Write { path: path.into(), contents: off.into() };
    let project = project.scenario(first_work(vec![
        write(".claude/settings.json"),
        write(".claude/settings.local.json"),
    ]));
    let run = project.run(["-n", "1"]);
    assert_eq!(project.read(".claude/settings.json"), own);
    assert!(!project.has(".claude/settings.local.json"));
    let findings = run.findings();
    assert!(findings.contains(".claude/settings.local.json"), "{findings}");
}

#[test]
fn they_come_back_whatever_the_agent_put_in_their_place() {
    let own = r#"{"permissions": {}}"#;
    for command in [
        "rm -r .claude; echo x >.claude",
        "rm .claude/settings.json; mkdir -p .claude/settings.json/x",
    ] {
        let project = Project::new([story("US-001")]);
        project.write(".claude/settings.json", own);
        project.git(&["add", "-A"]);
        project.git(&["commit", "-qm", "settings"]);
        let project = project.scenario(first_work(vec![bash(command)]));
        let run = project.run(["-n", "1"]);
        assert_eq!(project.read(".claude/settings.json"), own, "{command}");
        let findings = run.findings();
        assert!(findings.contains(".claude/settings.json"), "{command}: {findings}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_their_place_does_not_expose_files_outside() {
    let own = r#"{"permissions": {}}"#;
    let outside = TempDir::new().unwrap();
    for name in ["settings.json", "settings.local.json"] {
        std::fs::write(outside.path().join(name), "outside").unwrap();
    }
    let project = Project::new([story("US-001")]);
    project.write(".claude/settings.json", own);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "settings"]);
    let link = format!("rm -r .claude; ln -s '{}' .claude", outside.path().display());
    let project = project.scenario(first_work(vec![bash(&link)]));
    let run = project.run(["-n", "1"]);
    assert_eq!(project.read(".claude/settings.json"), own);
    assert!(!project.has(".claude/settings.local.json"));
    for name in ["settings.json", "settings.local.json"] {
        assert_eq!(std::fs::read_to_string(outside.path().join(name)).unwrap(), "outside");
    }
    assert!(run.findings().contains(".claude/settings.json"), "{}", run.findings());
}

#[test]
fn sessions_beside_the_work_are_read_too() {
    let project = Project::new([story("US-001")]);
    let run = project.run(["--quality", "--skip-review", "--no-sandbox", "-n", "1"]);
    let calls = run.calls();
    assert!(calls.len() >= 2, "{calls:?}");
    for call in calls {
        assert!(call.contains("--plugin-dir") && call.contains("disableAllHooks"), "{call}");
    }
    assert_eq!(run.guards_missing(), 0);
}

#[test]
fn doctor_names_the_isolation_kinds_and_their_obstacles() {
    let nothing = TempDir::new().unwrap();
    let project = Project::new([story("US-001")]);
    let output = call(&project, Some(&nothing), &["doctor", "--json"]);
    let checkup: Value = serde_json::from_slice(&output.stdout).unwrap();
    let claude = &checkup["isolation"][0];
    assert_eq!((&claude["agent"], &claude["isolation"]), (&json!("claude"), &json!("guard")));
    let states: Vec<_> = claude["kinds"].as_array().unwrap().iter().map(|w| &w["state"]).collect();
    assert_eq!(states, ["missing", "missing", "missing", "ready"]);
    assert!(claude["kinds"][0]["fix"].as_str().unwrap().contains("sbx"), "{claude}");
    let required = call(&project, Some(&nothing), &["doctor", "--sandbox"]);
    assert_eq!(required.status.code(), Some(1));
    let text = String::from_utf8_lossy(&required.stdout).into_owned();
    assert_text(&text, contains("a run cannot start"));
}

#[test]
fn without_a_home_only_docker_is_missing() {
    let homeless = |project: &Project, args: &[&str]| {
        let mut command = project.command(&program("ralph-loop"));
        command.env_remove("HOME").env_remove("USERPROFILE").args(args).output().unwrap()
    };
    let project = Project::new([story("US-001")]);
    let doctor = homeless(&project, &["doctor", "--json", "--no-self-test"]);
    let checkup: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let docker = &checkup["isolation"][0]["kinds"][0];
    assert!(docker["why"].as_str().unwrap().contains("HOME is not set"), "{docker}");
    let run = ["run", "--no-sandbox", "--dry-run", "--agent-program", "sh"];
    let ran = homeless(&project, &run);
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));

    let project = project.settings(&json!({ "sandbox": { "writablePaths": ["~/cache"] } }));
    let refused = homeless(&project, &run);
    let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{stderr}");
    assert_text(&stderr, contains("isolation.writablePaths: cannot resolve ~/cache"));
}

#[test]
fn a_name_that_path_does_not_let_us_run_is_not_installed() {
    let path = TempDir::new().unwrap();
    // As with a folder that cannot be looked into, starting it is forbidden.
    std::fs::write(path.path().join("sbx"), "").unwrap();
    let project = Project::new([story("US-001")]);
    let output = call(&project, Some(&path), &["doctor", "--json"]);
    let checkup: Value = serde_json::from_slice(&output.stdout).unwrap();
    let docker = &checkup["isolation"][0]["kinds"][0];
    let why = docker["why"].as_str().unwrap();
    assert_eq!(why, "neither `sbx` nor `docker sandbox` is installed");
}
