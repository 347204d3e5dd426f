//! Runs in clones of the project, and the removal of the clones.

use std::path::PathBuf;

use events::RunEnd;
use serde_json::Value;

use crate::harness::Project;
use crate::stories::story;

fn lanes(project: &Project, args: &[&str]) -> Value {
    let output = project.call(&[&["lanes", "--json"], args].concat());
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn states(rows: &Value) -> Vec<(&str, &str)> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| (row["lane"].as_str().unwrap(), row["state"].as_str().unwrap())).collect()
}

fn folder(row: &Value) -> PathBuf {
    row["folder"].as_str().unwrap().into()
}

#[test]
fn a_run_in_a_clone_leaves_the_work_tree_alone_and_its_clones_can_be_removed() {
    let project = Project::new([story("US-001")]);
    project.git(&["switch", "-q", "-c", "mine"]);
    project.write("mine.txt", "not committed\n");
    let run = project.run(["--separate"]);
    run.assert_end(RunEnd::Complete);
    let warning = "warning: 1 uncommitted file is not in the clones";
    assert!(run.stderr.contains(warning), "{}", run.stderr);
    assert_eq!(project.git(&["branch", "--show-current"]), "mine");
    assert_eq!(project.read("mine.txt"), "not committed\n");
    assert_eq!(project.read("ralph/tasks.json"), project.tasks_before());
    let merged = project.git(&["show", "ralph/demo:ralph/tasks.json"]);
    assert!(merged.contains("\"passes\": true"), "{merged}");

    let listed = lanes(&project, &[]);
    assert_eq!(states(&listed), [("1", "saved"), ("verification", "saved")]);
    let lane = folder(&listed[0]);
    #[cfg(target_os = "linux")]
    assert!(lane.to_string_lossy().contains("/home/.local/state/ralph/lanes/project-"), "{lane:?}");
    std::fs::write(lane.join("new.txt"), "not committed").unwrap();
    let planned = lanes(&project, &["prune", "--dry-run"]);
    let pruned = lanes(&project, &["prune"]);
    assert_eq!((&planned["removed"], &planned["kept"]), (&pruned["removed"], &pruned["kept"]));
    assert_eq!(states(&pruned["removed"]), [("verification", "saved")]);
    assert_eq!(states(&pruned["kept"]), [("1", "unsaved")]);
    assert_eq!(pruned["kept"][0]["why"], "uncommitted files: new.txt");
    assert!(lane.join("new.txt").is_file() && !folder(&listed[1]).exists());
    std::fs::remove_file(lane.join("new.txt")).unwrap();
    let text = project.call(&["lanes", "prune"]).stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.starts_with("removed 1 clone, ") && !text.contains("kept"), "{text}");
    assert!(!lane.exists());
}

fn refused(project: &Project, args: &[&str]) -> String {
    let output = project.call(args);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn options_without_effect_in_clones_are_refused() {
    let project = Project::new([story("US-001")]).installed("claude");
    let error = refused(&project, &["-j", "2", "--allow-dirty", "--sandbox=guard"]);
    assert!(error.contains("--allow-dirty has no effect with --separate"), "{error}");
    assert!(error.contains("--no-separate"), "{error}");
    let error = refused(&project, &["--no-separate", "-j", "2"]);
    assert!(error.contains("cannot be used with"), "{error}");
    let error = refused(&project, &["--separate", "--lanes-dir", "lanes", "--sandbox=guard"]);
    assert!(
        error.contains("--lanes-dir: folder ") && error.contains("inside the project"),
        "{error}"
    );
    assert!(!project.has(".ralph/state.json"));
}

#[test]
fn a_dry_run_names_the_clones_and_the_files_that_they_do_not_have() {
    let project = Project::new([story("US-001")]).installed("claude");
    let settings = r#"{"jobs": 3, "lanes": {"dir": "../lanes"}}"#;
    let project = project.settings(&serde_json::from_str(settings).unwrap());
    project.write("mine.txt", "not committed\n");
    let shown = |args: &[&str]| {
        let output = project.call(&[&["--dry-run", "--sandbox=guard"], args].concat());
        String::from_utf8(output.stdout).unwrap()
    };
    let text = shown(&[]);
    assert!(text.contains("Clones: 3 lanes and one for verification, in "), "{text}");
    assert!(text.contains("Uncommitted, so not in the clones: mine.txt"), "{text}");
    let json: Value = serde_json::from_str(&shown(&["--output", "json"])).unwrap();
    assert_eq!(json["lanes"]["jobs"], 3);
    let text = shown(&["--no-separate"]);
    assert!(!text.contains("Clones:") && text.contains("Commit first: mine.txt"), "{text}");
    assert!(!project.path().with_file_name("lanes").exists());
}
