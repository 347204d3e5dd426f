//! Doctor finds problems of a project and recognizes other folders.

use predicates::str::contains;
use test_repo::assert_text;

use crate::setup::{DoctorOutput, DoctorSetup};

#[test]
fn outside_a_project_only_the_machine_is_checked() {
    let output = DoctorSetup::new().doctor();
    assert_eq!(output.exit_code, Some(0), "{}", output.stdout);
    let [state, _, fix] = output.about("project");
    assert_eq!((state.as_str(), fix.as_str()), ("not-checked", "ralph-loop init"));
    assert_eq!(output.line("repository"), serde_json::Value::Null);
}

#[test]
fn a_project_without_a_repository_is_a_problem_with_a_fix() {
    let setup = DoctorSetup::new();
    setup.write(".ralph/settings.json", "{}");
    let output = setup.doctor();
    assert_eq!((output.exit_code, output.problems()), (Some(1), vec!["repository".to_owned()]));
    assert!(output.about("repository")[2].starts_with("git init"), "{}", output.stdout);
}

#[test]
fn broken_settings_are_one_finding_among_others() {
    let setup = DoctorSetup::with_project();
    setup.write(".ralph/settings.json", r#"{"maximumIterations": "many"}"#);
    setup.write("ralph/tasks.json", "{}");
    let output = setup.call(&["doctor", "--json", "--no-self-test", "--sandbox=docker"]);
    assert_eq!(
        (output.exit_code, output.problems()),
        (Some(1), ["uncommitted", "settings", "task list"].map(str::to_owned).to_vec())
    );
    assert!(output.about("settings")[1].contains("maximumIterations"), "{}", output.stdout);
    assert_eq!(output.about("task list")[2], "ralph-loop validate");
    assert!(output.json()["isolation"][0]["problem"].is_string(), "flags apply: {}", output.stdout);
}

/// Doctor reports a problem with this title and the message with which a run refuses.
#[track_caller]
fn assert_refused(setup: &DoctorSetup, title: &str, words: &str) {
    let refused = setup.run();
    assert_eq!(refused.exit_code, Some(2), "{}", refused.stderr);
    assert_text(&refused.stderr, contains(words));
    let output = setup.doctor();
    assert_eq!((output.exit_code, output.problems()), (Some(1), vec![title.to_owned()]));
    let [_, found, fix] = output.about(title);
    assert!(found.contains(words) && !fix.is_empty(), "{found}; {fix}");
}

#[test]
fn an_unchanged_template_is_a_problem() {
    let setup = DoctorSetup::with_project();
    std::fs::remove_dir_all(setup.project().join("ralph")).unwrap();
    assert_eq!(setup.call(&["init", "--yes"]).exit_code, Some(0));
    setup.commit();
    assert_refused(&setup, "task list", "contains only the example story");
}

#[test]
fn a_bisect_in_progress_is_a_problem() {
    let setup = DoctorSetup::with_project();
    test_repo::git(&setup.project(), &["bisect", "start"]);
    assert_refused(&setup, "git operation", "a bisect is in progress");
    assert_eq!(setup.call(&["--dry-run"]).exit_code, Some(2));
}

#[test]
fn uncommitted_files_are_listed() {
    let setup = DoctorSetup::with_project();
    setup.write("mine.txt", "mine");
    assert_refused(&setup, "uncommitted", "there are uncommitted changes");
    assert_eq!(setup.doctor().line("uncommitted")["notes"][0], "mine.txt");
    let dry = setup.call(&["--dry-run", "--no-sandbox"]);
    assert_text(&dry.stdout, contains("Commit first: mine.txt (or start"));
}

#[test]
fn an_invalid_branch_name_is_a_problem() {
    let setup = DoctorSetup::with_project();
    for name in ["bad..name", "-x", "HEAD", "a b"] {
        setup.change_tasks("ralph/greeter", name);
        assert_refused(&setup, "task list", "is not a valid branch name");
        assert_eq!(setup.call(&["--dry-run"]).exit_code, Some(2), "{name}");
    }
}

#[test]
fn stories_that_passed_without_a_review_are_a_problem() {
    let setup = DoctorSetup::with_project();
    setup.change_tasks(r#""passes": false"#, r#""passes": true"#);
    assert_refused(&setup, "task list", "the review state of some stories is contradictory");
    assert_eq!(setup.call(&["--dry-run"]).exit_code, Some(2));
    setup.write(".ralph/settings.json", r#"{"review": {"skip": true}}"#);
    setup.commit();
    assert_eq!(setup.doctor().problems(), Vec::<String>::new());
}

#[test]
fn the_marker_of_an_unknown_run_is_a_problem() {
    let setup = DoctorSetup::with_project();
    setup.write(".ralph-active", r#"{"pid": 2147483647}"#);
    assert_refused(&setup, "marker", "a run was interrupted here");
    assert!(setup.doctor().about("marker")[2].contains("--fresh"));
    assert_eq!(setup.call(&["--dry-run"]).exit_code, Some(2));
}

#[test]
fn root_needs_a_sandbox_around_claude_code() {
    let setup = DoctorSetup::with_project();
    let args = ["doctor", "--json", "--no-self-test", "--no-sandbox"];
    let output = setup.call_with(&args, &[("IS_SANDBOX", "0".into())]);
    let is_root = rustix::process::getuid().is_root();
    assert_eq!(output.problems(), if is_root { vec!["user".to_owned()] } else { Vec::new() });
}

#[test]
fn a_file_is_not_a_project() {
    let setup = DoctorSetup::with_project();
    let output = setup.call(&["doctor", "-d", "ralph/tasks.json"]);
    assert_eq!((output.exit_code, output.stdout.as_str()), (Some(2), ""));
    assert_text(&output.stderr, contains("not a folder"));
}

#[test]
fn an_incomplete_gitignore_is_a_warning() {
    let setup = DoctorSetup::with_project();
    setup.write(".gitignore", "target/\n");
    setup.commit();
    let output = setup.doctor();
    assert_eq!(output.exit_code, Some(0), "{}", output.stdout);
    assert_eq!(output.about(".gitignore")[0], "warning");
}

#[test]
fn disabled_hooks_are_a_warning_with_the_file() {
    let setup = DoctorSetup::with_project();
    setup.write(".claude/settings.local.json", r#"{"disableAllHooks": true}"#);
    let output = setup.doctor();
    let [state, found, _] = output.about("hooks enabled");
    assert_eq!(state, "warning", "{}", output.stdout);
    assert!(found.contains(".claude/settings.local.json"), "{found}");
}

const LANES: [&str; 5] =
    ["lanes-dir", "lanes-setup", "lanes-files", "lanes-branch", "lanes-submodules"];

/// The state of each check about clones; empty if there is none.
fn lanes(output: &DoctorOutput) -> [String; 5] {
    let json = output.json();
    let state = |id: &str| {
        let checks = json["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["id"] == id);
        check.map(|check| check["state"].as_str().unwrap().to_owned()).unwrap_or_default()
    };
    LANES.map(state)
}

#[test]
fn a_run_in_clones_has_checks_of_its_own() {
    let setup = DoctorSetup::with_project();
    assert_eq!(lanes(&setup.doctor()), [""; 5]);
    let doctor = || setup.call(&["doctor", "--json", "--no-self-test", "-j", "2"]);
    let output = doctor();
    assert_eq!(lanes(&output), ["ok", "ok", "ok", "ok", ""]);
    assert_eq!(output.exit_code, Some(0), "{}", output.stdout);

    test_repo::git(&setup.project(), &["switch", "-q", "-c", "ralph/greeter"]);
    setup.write(".ralph/settings.json", r#"{"lanes": {"setup": ["no-such-program x"]}}"#);
    setup.write(".worktreeinclude", "/.env\n# a comment\n");
    setup.write(".gitmodules", "[submodule \"x\"]\n");
    let output = doctor();
    assert_eq!(lanes(&output), ["ok", "warning", "warning", "problem", "warning"]);
    let found = &output.about(".worktreeinclude")[1];
    assert_eq!(found, "these patterns match no ignored file: /.env");
    assert_eq!(output.problems(), ["run branch"], "uncommitted files are only a warning");
    assert_eq!(output.about("uncommitted")[0], "warning");
    assert!(output.about("run branch")[2].ends_with(" switch --detach"), "{}", output.stdout);
    let run = setup.call(&["run", "-j", "2", "--no-sandbox"]);
    assert_eq!(run.exit_code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("is checked out in"), "{}", run.stderr);

    let inside =
        setup.call(&["doctor", "--json", "--no-self-test", "--separate", "--lanes-dir", "x"]);
    assert_eq!(lanes(&inside), ["problem", "", "", "", ""]);
}
