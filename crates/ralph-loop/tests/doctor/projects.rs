//! What is wrong with a project, and folders that are none.

use crate::clinic::Clinic;

#[test]
fn outside_a_project_only_the_machine_is_looked_at() {
    let told = Clinic::new().doctor();
    assert_eq!(told.exit_code, Some(0), "{}", told.stdout);
    let [state, _, fix] = told.about("project");
    assert_eq!((state.as_str(), fix.as_str()), ("not-checked", "ralph-loop init"));
    assert_eq!(told.line("repository"), serde_json::Value::Null);
}

#[test]
fn a_project_that_is_no_repository_is_told_how_to_become_one() {
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
        (Some(1), vec!["settings".to_owned(), "task list".to_owned()])
    );
    assert!(told.about("settings")[1].contains("maximumIterations"), "{}", told.stdout);
    assert_eq!(told.about("task list")[2], "ralph-loop validate");
    assert!(told.json()["isolation"][0]["problem"].is_string(), "flags hold: {}", told.stdout);
}

#[test]
fn what_a_killed_run_left_is_told_and_hinders_nobody() {
    let clinic = Clinic::with_project();
    clinic.write(".ralph-active", r#"{"pid": 2147483647}"#);
    clinic.write(".gitignore", "target/\n");
    let told = clinic.doctor();
    assert_eq!(told.exit_code, Some(0), "{}", told.stdout);
    let [state, found, fix] = told.about("marker");
    assert_eq!(state, "warning");
    assert!(found.contains("pid 2147483647") && fix.contains("--fresh"), "{found}; {fix}");
    assert_eq!(told.about(".gitignore")[0], "warning");
}

#[test]
fn hooks_that_are_switched_off_are_told_with_the_file() {
    let clinic = Clinic::with_project();
    clinic.write(".claude/settings.local.json", r#"{"disableAllHooks": true}"#);
    let told = clinic.doctor();
    let [state, found, _] = told.about("hooks heard");
    assert_eq!(state, "warning", "{}", told.stdout);
    assert!(found.contains(".claude/settings.local.json"), "{found}");
}
