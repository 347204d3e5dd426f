//! Doctor finds problems of a project and recognizes other folders.

use predicates::str::contains;
use test_repo::assert_text;

use crate::clinic::Clinic;

#[test]
fn outside_a_project_only_the_machine_is_checked() {
    let told = Clinic::new().doctor();
    assert_eq!(told.exit_code, Some(0), "{}", told.stdout);
    let [state, _, fix] = told.about("project");
    assert_eq!((state.as_str(), fix.as_str()), ("not-checked", "ralph-loop init"));
    assert_eq!(told.line("repository"), serde_json::Value::Null);
}

#[test]
fn a_project_without_a_repository_is_a_problem_with_a_fix() {
    let clinic = Clinic::new();
    clinic.write(".ralph/settings.json", "{}");
    let told = clinic.doctor();
    assert_eq!((told.exit_code, told.problems()), (Some(1), vec!["repository".to_owned()]));
    assert!(told.about("repository")[2].starts_with("git init"), "{}", told.stdout);
}

#[test]
fn broken_settings_are_one_finding_among_others() {
    let clinic = Clinic::with_project();
    clinic.write(".ralph/settings.json", r#"{"maximumIterations": "many"}"#);
    clinic.write("ralph/tasks.json", "{}");
    let told = clinic.call(&["doctor", "--json", "--no-self-test", "--sandbox=docker"]);
    assert_eq!(
        (told.exit_code, told.problems()),
        (Some(1), ["uncommitted", "settings", "task list"].map(str::to_owned).to_vec())
    );
    assert!(told.about("settings")[1].contains("maximumIterations"), "{}", told.stdout);
    assert_eq!(told.about("task list")[2], "ralph-loop validate");
    assert!(told.json()["isolation"][0]["problem"].is_string(), "flags apply: {}", told.stdout);
}

/// Doctor reports a problem with this title and the message with which a run refuses.
#[track_caller]
fn assert_refused(clinic: &Clinic, title: &str, words: &str) {
    let refused = clinic.run();
    assert_eq!(refused.exit_code, Some(2), "{}", refused.stderr);
    assert_text(&refused.stderr, contains(words));
    let told = clinic.doctor();
    assert_eq!((told.exit_code, told.problems()), (Some(1), vec![title.to_owned()]));
    let [_, found, fix] = told.about(title);
    assert!(found.contains(words) && !fix.is_empty(), "{found}; {fix}");
}

#[test]
fn an_unchanged_template_is_a_problem() {
    let clinic = Clinic::with_project();
    std::fs::remove_dir_all(clinic.project().join("ralph")).unwrap();
    assert_eq!(clinic.call(&["init", "--yes"]).exit_code, Some(0));
    clinic.commit();
    assert_refused(&clinic, "task list", "contains only the example story");
}

#[test]
fn a_bisect_in_progress_is_a_problem() {
    let clinic = Clinic::with_project();
    test_repo::git(&clinic.project(), &["bisect", "start"]);
    assert_refused(&clinic, "git operation", "a bisect is in progress");
    assert_eq!(clinic.call(&["--dry-run"]).exit_code, Some(2));
}

#[test]
fn uncommitted_files_are_listed() {
    let clinic = Clinic::with_project();
    clinic.write("mine.txt", "mine");
    assert_refused(&clinic, "uncommitted", "there are uncommitted changes");
    assert_eq!(clinic.doctor().line("uncommitted")["notes"][0], "mine.txt");
    let dry = clinic.call(&["--dry-run", "--no-sandbox"]);
    assert_text(&dry.stdout, contains("Commit first: mine.txt (or start"));
}

#[test]
fn an_invalid_branch_name_is_a_problem() {
    let clinic = Clinic::with_project();
    for name in ["bad..name", "-x", "HEAD", "a b"] {
        clinic.change_tasks("ralph/greeter", name);
        assert_refused(&clinic, "task list", "is not a valid branch name");
        assert_eq!(clinic.call(&["--dry-run"]).exit_code, Some(2), "{name}");
    }
}

#[test]
fn stories_that_passed_without_a_review_are_a_problem() {
    let clinic = Clinic::with_project();
    clinic.change_tasks(r#""passes": false"#, r#""passes": true"#);
    assert_refused(&clinic, "task list", "the review state of some stories is contradictory");
    assert_eq!(clinic.call(&["--dry-run"]).exit_code, Some(2));
    clinic.write(".ralph/settings.json", r#"{"review": {"skip": true}}"#);
    clinic.commit();
    assert_eq!(clinic.doctor().problems(), Vec::<String>::new());
}

#[test]
fn the_marker_of_an_unknown_run_is_a_problem() {
    let clinic = Clinic::with_project();
    clinic.write(".ralph-active", r#"{"pid": 2147483647}"#);
    assert_refused(&clinic, "marker", "a run was interrupted here");
    assert!(clinic.doctor().about("marker")[2].contains("--fresh"));
    assert_eq!(clinic.call(&["--dry-run"]).exit_code, Some(2));
}

#[test]
fn root_needs_a_sandbox_around_claude_code() {
    let clinic = Clinic::with_project();
    let args = ["doctor", "--json", "--no-self-test", "--no-sandbox"];
    let told = clinic.call_with(&args, &[("IS_SANDBOX", "0".into())]);
    let is_root = rustix::process::getuid().is_root();
    assert_eq!(told.problems(), if is_root { vec!["user".to_owned()] } else { Vec::new() });
}

#[test]
fn a_file_is_not_a_project() {
    let clinic = Clinic::with_project();
    let told = clinic.call(&["doctor", "-d", "ralph/tasks.json"]);
    assert_eq!((told.exit_code, told.stdout.as_str()), (Some(2), ""));
    assert_text(&told.stderr, contains("not a folder"));
}

#[test]
fn an_incomplete_gitignore_is_a_warning() {
    let clinic = Clinic::with_project();
    clinic.write(".gitignore", "target/\n");
    clinic.commit();
    let told = clinic.doctor();
    assert_eq!(told.exit_code, Some(0), "{}", told.stdout);
    assert_eq!(told.about(".gitignore")[0], "warning");
}

#[test]
fn disabled_hooks_are_a_warning_with_the_file() {
    let clinic = Clinic::with_project();
    clinic.write(".claude/settings.local.json", r#"{"disableAllHooks": true}"#);
    let told = clinic.doctor();
    let [state, found, _] = told.about("hooks enabled");
    assert_eq!(state, "warning", "{}", told.stdout);
    assert!(found.contains(".claude/settings.local.json"), "{found}");
}
